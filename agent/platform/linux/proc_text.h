// Parsers of what /proc, /sys and /etc say. Pure: text in, values out, absent when the text
// doesn't hold it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/units.h"

namespace fleetmark::agent::linux_os {

std::string trimmed(std::string_view text);
std::vector<std::string_view> lines(std::string_view text);
// "0-3,8" -> 0 1 2 3 8. Absent when malformed.
std::optional<std::vector<int>> parseCpuList(std::string_view text);
// KEY=value lines with optional quotes, as in /etc/os-release.
std::map<std::string, std::string> parseKeyValues(std::string_view text);

struct CpuInfo {
  std::string model;  // x86: "model name"; arm64: decoded from implementer and part
  std::string microcode;
  bool hypervisorFlag = false;  // x86: CPUID says that a hypervisor is there
};
CpuInfo parseCpuInfo(std::string_view text);  // /proc/cpuinfo
// "ARM Neoverse-N1" for 0x41, 0xd0c; "implementer 0x41 part 0xfff" when unknown.
std::string arm64CpuName(std::uint32_t implementer, std::uint32_t part);

std::optional<std::int64_t> parseMemTotal(std::string_view text);  // /proc/meminfo, bytes
std::optional<base::Nanos> parseSteal(std::string_view text,
                                      std::int64_t ticksPerSecond);   // /proc/stat
std::optional<base::Nanos> parsePressureSome(std::string_view text);  // /proc/pressure/cpu
std::optional<double> parseLoad1(std::string_view text);              // /proc/loadavg
struct CpuActivity {
  std::optional<int> cpus;  // online
  std::optional<base::Nanos>
      busy;  // all CPUs, neither idle nor waiting for I/O; stolen time counts
  std::optional<std::int64_t> runnable;  // the reader among them
};
CpuActivity parseCpuActivity(std::string_view text, std::int64_t ticksPerSecond);  // /proc/stat
struct ProcIo {
  std::int64_t readBytes = 0;
  std::int64_t writeBytes = 0;
};
std::optional<ProcIo> parseProcIo(std::string_view text);  // /proc/PID/io

struct Throttling {
  std::int64_t periods = 0;
  base::Nanos time{0};
};
std::optional<Throttling> parseCpuStat(std::string_view text);  // cgroup v1 and v2 cpu.stat
// cgroup v2 cpu.max: CPUs that the quota is worth; absent for "max".
std::optional<double> parseCpuMax(std::string_view text);
// cgroup v1 cpu.cfs_quota_us and cpu.cfs_period_us; absent for -1.
std::optional<double> quotaOf(std::string_view quotaUs, std::string_view periodUs);

struct CgroupPaths {
  std::optional<std::string> unified;              // v2
  std::map<std::string, std::string> controllers;  // v1: controller -> path
};
CgroupPaths parseCgroups(std::string_view text);  // /proc/PID/cgroup

struct Mount {
  std::string device;  // "254:0", major and minor
  std::string root;    // part of the file system that is mounted
  std::string point;
  std::string options;
  std::string type;
  std::string source;
  std::string superOptions;
};
std::vector<Mount> parseMountInfo(std::string_view text);  // /proc/PID/mountinfo
// The mount that holds an absolute path: the longest point that leads it, the last one mounted.
const Mount* mountOf(const std::vector<Mount>& mounts, std::string_view path);

}  // namespace fleetmark::agent::linux_os
