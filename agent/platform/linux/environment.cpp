#include "agent/platform/linux/environment.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "agent/platform/linux/build_facts.h"
#include "agent/platform/linux/read_text.h"
#include "common/base/units.h"
#include "common/base/version.h"

namespace fleetmark::agent::linux_os {

namespace {

using nlohmann::json;

constexpr std::size_t kMostDevices = 32;
constexpr std::size_t kMostMounts = 32;

void put(json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

void putNumber(json& object, const char* key, const std::string& text) {
  long long value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) object[key] = value;
}

json cpuSection(const EnvironmentInputs& inputs) {
  const std::string root = "/sys/devices/system/cpu/";
  json out = json::object();
  put(out, "microcode", inputs.cpu.microcode);
  put(out, "online", readLine(root + "online"));
  put(out, "isolated", readLine(root + "isolated"));
  putNumber(out, "smt_active", readLine(root + "smt/active"));
  put(out, "governor", readLine(root + "cpu0/cpufreq/scaling_governor"));
  put(out, "frequency_driver", readLine(root + "cpu0/cpufreq/scaling_driver"));
  putNumber(out, "frequency_max_khz", readLine(root + "cpu0/cpufreq/scaling_max_freq"));
  putNumber(out, "boost", readLine(root + "cpufreq/boost"));
  putNumber(out, "intel_no_turbo", readLine(root + "intel_pstate/no_turbo"));
  put(out, "numa_nodes", readLine("/sys/devices/system/node/online"));
  if (inputs.cpuQuota) out["cgroup_quota_cpus"] = *inputs.cpuQuota;
  if (inputs.allowedCpus) out["allowed_cpus"] = *inputs.allowedCpus;
  return out;
}

json kernelSection() {
  json out = json::object();
  put(out, "clock_source",
      readLine("/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  put(out, "transparent_hugepages", readLine("/sys/kernel/mm/transparent_hugepage/enabled"));
  put(out, "preempt", readLine("/sys/kernel/debug/sched/preempt"));
  if (auto page = ::sysconf(_SC_PAGESIZE); page > 0) out["page_size_bytes"] = page;
  put(out, "load_average", readLine("/proc/loadavg"));
  put(out, "uptime", readLine("/proc/uptime"));
  put(out, "command_line_mitigations", [] {
    auto line = readLine("/proc/cmdline");
    auto at = line.find("mitigations=");
    return at == std::string::npos ? std::string() : line.substr(at, line.find(' ', at) - at);
  }());
  return out;
}

json machineSection(const EnvironmentInputs& inputs) {
  json out = json::object();
  put(out, "container", inputs.virtualisation.container);
  put(out, "hypervisor", inputs.virtualisation.machine);
  for (const char* name :
       {"sys_vendor", "product_name", "product_version", "bios_version", "chassis_asset_tag"}) {
    put(out, name, readLine("/sys/class/dmi/id/" + std::string(name)));
  }
  return out;
}

json blockDevices() {
  json out = json::array();
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/block", error)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  for (const auto& name : names) {
    const std::string root = "/sys/block/" + name + "/";
    auto sectors = readLine(root + "size");
    if (sectors.empty() || sectors == "0" || out.size() >= kMostDevices) continue;
    json device{{"name", name}};
    long long count = 0;
    std::from_chars(sectors.data(), sectors.data() + sectors.size(), count);
    device["size_bytes"] = count * 512;  // sysfs counts in 512 bytes whatever the device's sector
    put(device, "model", readLine(root + "device/model"));
    put(device, "scheduler", readLine(root + "queue/scheduler"));
    put(device, "write_cache", readLine(root + "queue/write_cache"));
    putNumber(device, "rotational", readLine(root + "queue/rotational"));
    putNumber(device, "logical_block_bytes", readLine(root + "queue/logical_block_size"));
    putNumber(device, "physical_block_bytes", readLine(root + "queue/physical_block_size"));
    out.push_back(std::move(device));
  }
  return out;
}

// File systems that hold data; /proc and its like say nothing.
json dataMounts(const std::vector<Mount>& mounts) {
  json out = json::array();
  for (const auto& mount : mounts) {
    bool relevant = mount.point == "/" || mount.source.rfind("/dev/", 0) == 0 ||
                    mount.type == "overlay" || mount.type == "nfs" || mount.type == "nfs4" ||
                    mount.type.rfind("fuse", 0) == 0 || mount.type == "9p" ||
                    mount.type == "virtiofs" || mount.point == "/tmp";
    if (!relevant || out.size() >= kMostMounts) continue;
    json item{{"point", mount.point}, {"type", mount.type}, {"options", mount.options}};
    put(item, "source", mount.source);
    // Overlay's list its layers, which can be kilobytes of paths.
    if (mount.type != "overlay") put(item, "super_options", mount.superOptions);
    out.push_back(std::move(item));
  }
  return out;
}

json buildSection(const EnvironmentInputs& inputs) {
  json out{{"version", base::kVersion},
           {"compiler", kCompiler},
           {"build_type", kBuildType},
           {"flags", kBuildFlags}};
  put(out, "binary_sha256", inputs.binarySha256);
  return out;
}

}  // namespace

std::string environmentJson(const EnvironmentInputs& inputs) {
  json out{{"cpu", cpuSection(inputs)},           {"kernel", kernelSection()},
           {"machine", machineSection(inputs)},   {"block_devices", blockDevices()},
           {"mounts", dataMounts(inputs.mounts)}, {"build", buildSection(inputs)}};
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fleetmark::agent::linux_os
