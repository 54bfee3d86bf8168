#include "agent/platform/linux/contention_linux.h"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>

#include "agent/platform/linux/cgroup.h"
#include "agent/platform/linux/read_text.h"
#include "common/platform/posix/errors.h"

namespace fleetmark::agent::linux_os {

LinuxContention::LinuxContention()
    : mounts_(parseMountInfo(readText("/proc/self/mountinfo").value_or(""))),
      groups_(parseCgroups(readText("/proc/self/cgroup").value_or(""))) {}

ContentionReading LinuxContention::read() {
  ContentionReading out;
  if (auto time = threadCpuTime()) out.threadCpu = *time;
  struct rusage usage {};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
    out.voluntarySwitches = usage.ru_nvcsw;
    out.involuntarySwitches = usage.ru_nivcsw;
  }
  if (auto text = readText("/proc/pressure/cpu")) out.cpuPressure = parsePressureSome(*text);
  if (auto text = readText("/proc/stat")) out.steal = parseSteal(*text, ::sysconf(_SC_CLK_TCK));
  if (auto text = readText("/proc/loadavg")) out.load1 = parseLoad1(*text);
  if (auto found = readThrottling(mounts_, groups_)) {
    out.throttledPeriods = found->periods;
    out.throttled = found->time;
  }
  if (int cpu = ::sched_getcpu(); cpu >= 0) out.cpu = cpu;
  return out;
}

base::Result<base::Nanos> LinuxContention::threadCpuTime() {
  timespec time{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) {
    return platform::fromErrno(errno, "can't read the CPU time of this thread");
  }
  return base::Nanos(static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec);
}

}  // namespace fleetmark::agent::linux_os
