#include "agent/platform/linux/virtualisation.h"

#include <array>
#include <utility>

#include "agent/platform/linux/read_text.h"
#include "common/platform/files.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace fleetmark::agent::linux_os {

namespace {

using Table = std::pair<std::string_view, std::string_view>;

std::string_view firstMatch(std::string_view text, const auto& table) {
  for (const auto& [clue, name] : table) {
    if (text.find(clue) != std::string_view::npos) return name;
  }
  return {};
}

// More telling names first: a cloud's machine also says KVM.
constexpr std::array kDmi{
    Table{"Amazon EC2", "ec2"},
    Table{"Google Compute Engine", "gce"},
    Table{"DigitalOcean", "kvm"},
    Table{"Hetzner", "kvm"},
    Table{"OpenStack", "openstack"},
    Table{"VMware", "vmware"},
    Table{"VirtualBox", "virtualbox"},
    Table{"innotek", "virtualbox"},
    Table{"Parallels", "parallels"},
    Table{"Virtual Machine", "hyper-v"},
    Table{"Xen", "xen"},
    Table{"KVM", "kvm"},
    Table{"QEMU", "qemu"},
    Table{"Bochs", "qemu"},
};
constexpr std::array kCpuid{
    Table{"KVMKVMKVM", "kvm"},        Table{"TCGTCGTCGTCG", "qemu"},
    Table{"Microsoft Hv", "hyper-v"}, Table{"VMwareVMware", "vmware"},
    Table{"XenVMMXenVMM", "xen"},     Table{"bhyve bhyve", "bhyve"},
    Table{"ACRNACRNACRN", "acrn"},
};
constexpr std::array kCgroup{
    Table{"/kubepods", "kubernetes"},
    Table{"/docker", "docker"},
    Table{"docker-", "docker"},
    Table{"libpod", "podman"},
    Table{"/lxc", "lxc"},
    Table{"lxc.payload", "lxc"},
    Table{"machine.slice/", "systemd-nspawn"},
};

std::string containerOf(const VirtualisationClues& clues) {
  if (!clues.systemdContainer.empty()) return clues.systemdContainer;
  if (clues.kernelRelease.find("icrosoft") != std::string::npos) return "wsl";
  if (auto name = firstMatch(clues.initCgroup, kCgroup); !name.empty()) return std::string(name);
  // An image that is booted as a machine of its own carries these files too, but then the
  // kernel's own threads are in sight.
  if (clues.kernelThreads) return {};
  if (clues.containerEnv) return "podman";
  if (clues.dockerEnv) return "docker";
  return {};
}

std::string machineOf(const VirtualisationClues& clues) {
  if (clues.acpiOem.find("FIRECK") != std::string::npos) return "firecracker";
  if (auto name = firstMatch(clues.dmi, kDmi); !name.empty()) return std::string(name);
  if (auto name = firstMatch(clues.cpuidVendor, kCpuid); !name.empty()) return std::string(name);
  if (clues.xenType == "xen") return "xen";
  if (clues.deviceTree.find("kvm") != std::string::npos) return "kvm";
  if (clues.deviceTree.find("xen") != std::string::npos) return "xen";
  if (clues.hypervisorFlag || !clues.deviceTree.empty()) return "vm";
  // DMI speaks of real hardware and no hypervisor shows itself; without DMI nothing is known.
  return clues.dmi.empty() ? "" : "none";
}

std::string cpuidVendor(bool hypervisorFlag) {
#if defined(__x86_64__)
  if (hypervisorFlag) {
    unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
    __cpuid(0x40000000, eax, ebx, ecx, edx);
    std::string out;
    for (unsigned word : {ebx, ecx, edx}) {
      for (int shift = 0; shift < 32; shift += 8) {
        char letter = static_cast<char>((word >> shift) & 0xff);
        if (letter >= ' ' && letter <= '~') out += letter;
      }
    }
    return out;
  }
#endif
  static_cast<void>(hypervisorFlag);
  return {};
}

}  // namespace

Virtualisation judge(const VirtualisationClues& clues) {
  return {containerOf(clues), machineOf(clues)};
}

VirtualisationClues readClues(const CpuInfo& cpu, const std::string& kernelRelease) {
  VirtualisationClues out;
  for (const char* name : {"sys_vendor", "product_name", "board_vendor", "bios_vendor"}) {
    auto text = readLine("/sys/class/dmi/id/" + std::string(name));
    if (!text.empty()) out.dmi += text + "\n";
  }
  out.cpuidVendor = cpuidVendor(cpu.hypervisorFlag);
  for (const char* name : {"APIC", "FACP"}) {
    auto table = readText("/sys/firmware/acpi/tables/" + std::string(name));
    if (table && table->size() >= 16) {
      out.acpiOem = table->substr(10, 6);  // bytes 10 to 15 of every ACPI table header
      break;
    }
  }
  out.deviceTree = readText("/proc/device-tree/hypervisor/compatible").value_or("");
  out.xenType = readLine("/sys/hypervisor/type");
  out.hypervisorFlag = cpu.hypervisorFlag;
  out.initCgroup = readText("/proc/1/cgroup").value_or("");
  out.containerEnv = readText("/run/.containerenv");
  out.dockerEnv = platform::exists("/.dockerenv");
  out.systemdContainer = readLine("/run/systemd/container");
  out.kernelThreads = readLine("/proc/2/comm") == "kthreadd";
  out.kernelRelease = kernelRelease;
  return out;
}

}  // namespace fleetmark::agent::linux_os
