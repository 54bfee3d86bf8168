#include "agent/platform/linux/host_linux.h"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "agent/platform/linux/affinity_linux.h"
#include "agent/platform/linux/cgroup.h"
#include "agent/platform/linux/environment.h"
#include "agent/platform/linux/proc_text.h"
#include "agent/platform/linux/read_text.h"
#include "agent/platform/linux/virtualisation.h"
#include "common/base/hex.h"
#include "common/crypto/digest.h"

namespace fleetmark::agent::linux_os {

namespace {

std::string archOf(const std::string& machine) {
  if (machine == "x86_64") return "x64";
  if (machine == "aarch64") return "arm64";
  return machine;
}

std::string hashOfThisProgram() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  if (!file) return {};
  crypto::Sha256 digest;
  std::vector<char> buffer(1 << 20);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    digest.update({buffer.data(), static_cast<std::size_t>(file.gcount())});
  }
  if (file.bad()) return {};
  return base::toHex(digest.finish());
}

}  // namespace

std::string hashedMachineId(const std::string& raw) {
  if (raw.empty()) return {};
  return crypto::sha256Hex("fleetmark machine " + raw).substr(0, 32);
}

model::HostFacts LinuxHost::facts() {
  model::HostFacts out;
  struct utsname names {};
  if (::uname(&names) == 0) {
    out.hostname = names.nodename;
    out.kernel = std::string(names.sysname) + " " + names.release;
    out.arch = archOf(names.machine);
  }
  out.os = "linux";
  auto cpu = parseCpuInfo(readText("/proc/cpuinfo").value_or(""));
  out.cpuModel = cpu.model;
  auto virtualisation = judge(readClues(cpu, names.release));
  out.virtualisation = virtualisation.innermost();
  auto release = readText("/etc/os-release");
  if (!release) release = readText("/usr/lib/os-release");
  out.osImage = parseKeyValues(release.value_or(""))["PRETTY_NAME"];
  out.machineId = hashedMachineId(readLine("/etc/machine-id"));
  out.bootId = readLine("/proc/sys/kernel/random/boot_id");
  // All that runs on one kernel shares its CPUs, containers included.
  if (!out.bootId.empty()) out.machineKey = "boot:" + out.bootId;
  out.memoryBytes = parseMemTotal(readText("/proc/meminfo").value_or("")).value_or(0);

  auto mounts = parseMountInfo(readText("/proc/self/mountinfo").value_or(""));
  auto quota = readCpuQuota(mounts, parseCgroups(readText("/proc/self/cgroup").value_or("")));
  std::optional<double> allowed;
  if (auto cpus = LinuxAffinity().allowed()) allowed = static_cast<double>(cpus->size());
  if (allowed) out.effectiveCpus = quota ? std::min(*quota, *allowed) : *allowed;

  if (binarySha256_.empty()) binarySha256_ = hashOfThisProgram();
  out.environmentJson = environmentJson({
      .cpu = cpu,
      .virtualisation = virtualisation,
      .mounts = mounts,
      .cpuQuota = quota,
      .allowedCpus = allowed,
      .binarySha256 = binarySha256_,
  });
  return out;
}

}  // namespace fleetmark::agent::linux_os
