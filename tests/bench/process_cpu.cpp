#include "tests/bench/process_cpu.h"

#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>
#include <string>

namespace fleetmark::bench {

namespace {

struct Times {
  std::int64_t parent = 0;
  double own = 0;    // seconds
  double ended = 0;  // of children that were waited for
};

std::optional<Times> timesOf(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto end = text.rfind(')');  // the name before it may hold anything
  if (end == std::string::npos) return std::nullopt;
  std::istringstream rest(text.substr(end + 1));
  std::string skip;
  Times out;
  rest >> skip >> out.parent;
  for (int field = 5; field < 14; ++field) rest >> skip;
  double user = 0, system = 0, endedUser = 0, endedSystem = 0;
  rest >> user >> system >> endedUser >> endedSystem;
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  out.own = (user + system) / ticks;
  out.ended = (endedUser + endedSystem) / ticks;
  return out;
}

std::map<std::int64_t, Times> allProcesses() {
  std::map<std::int64_t, Times> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    std::int64_t pid = 0;
    const auto parsed = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || parsed.ptr != name.data() + name.size()) continue;
    if (auto times = timesOf(name)) out.emplace(pid, *times);
  }
  return out;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

CpuSplit cpuSoFar(std::int64_t coordinator) {
  const auto all = allProcesses();
  CpuSplit out;
  if (auto found = all.find(coordinator); found != all.end()) out.coordinator = found->second.own;
  for (const auto& [pid, times] : all) {
    const auto parent = all.find(times.parent);
    if (times.parent == coordinator) {  // the postmaster
      out.database += times.own + times.ended;
    } else if (parent != all.end() && parent->second.parent == coordinator) {
      out.database += times.own;
    }
  }
  rusage own{};
  ::getrusage(RUSAGE_SELF, &own);
  out.simulated = seconds(own.ru_utime) + seconds(own.ru_stime);
  return out;
}

CpuSplit operator-(const CpuSplit& later, const CpuSplit& earlier) {
  return {later.coordinator - earlier.coordinator, later.database - earlier.database,
          later.simulated - earlier.simulated};
}

double residentKib(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double size = 0, resident = 0;
  file >> size >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1024;
}

}  // namespace fleetmark::bench
