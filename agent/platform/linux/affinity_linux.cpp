#include "agent/platform/linux/affinity_linux.h"

#include <sched.h>

#include <cerrno>
#include <memory>

#include "common/platform/posix/errors.h"

namespace fleetmark::agent::linux_os {

namespace {

struct FreeSet {
  void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using Set = std::unique_ptr<cpu_set_t, FreeSet>;

constexpr int kMostCpus = 1 << 16;

}  // namespace

base::Result<std::vector<int>> LinuxAffinity::allowed() {
  // The kernel refuses a set smaller than its own, whose size it doesn't tell.
  for (int count = CPU_SETSIZE; count <= kMostCpus; count *= 2) {
    Set set(CPU_ALLOC(static_cast<std::size_t>(count)));
    std::size_t size = CPU_ALLOC_SIZE(static_cast<std::size_t>(count));
    if (::sched_getaffinity(0, size, set.get()) == 0) {
      std::vector<int> out;
      for (int cpu = 0; cpu < count; ++cpu) {
        if (CPU_ISSET_S(static_cast<std::size_t>(cpu), size, set.get())) out.push_back(cpu);
      }
      return out;
    }
    if (errno != EINVAL) break;
  }
  return platform::fromErrno(errno, "can't read which CPUs this thread may use");
}

base::Status LinuxAffinity::pin(int cpu) {
  if (cpu < 0 || cpu >= kMostCpus) {
    return base::invalid("there is no CPU " + std::to_string(cpu));
  }
  auto count = static_cast<std::size_t>(cpu) + 1;
  Set set(CPU_ALLOC(count));
  std::size_t size = CPU_ALLOC_SIZE(count);
  CPU_ZERO_S(size, set.get());
  CPU_SET_S(static_cast<std::size_t>(cpu), size, set.get());
  if (::sched_setaffinity(0, size, set.get()) != 0) {
    return platform::fromErrno(errno, "can't pin this thread to CPU " + std::to_string(cpu),
                               "is the CPU online and in this process's cpuset?");
  }
  return {};
}

base::Result<int> LinuxAffinity::current() {
  int cpu = ::sched_getcpu();
  if (cpu < 0) return platform::fromErrno(errno, "can't tell the current CPU");
  return cpu;
}

}  // namespace fleetmark::agent::linux_os
