// What stands between this process and the hardware.
#pragma once

#include <optional>
#include <string>

#include "agent/platform/linux/proc_text.h"

namespace fleetmark::agent::linux_os {

// Everything the judgement rests on, so that it can be tested without such a machine.
struct VirtualisationClues {
  std::string dmi = {};          // sys_vendor, product_name, board_vendor and bios_vendor, by line
  std::string cpuidVendor = {};  // 12 letters of the hypervisor's CPUID leaf: "KVMKVMKVM"
  std::string acpiOem = {};      // OEM id of an ACPI table: "FIRECK"
  std::string deviceTree = {};   // /proc/device-tree/hypervisor/compatible
  std::string xenType = {};      // /sys/hypervisor/type
  bool hypervisorFlag = false;
  std::string initCgroup = {};                   // /proc/1/cgroup
  std::optional<std::string> containerEnv = {};  // /run/.containerenv, when it is there
  bool dockerEnv = false;                        // /.dockerenv
  std::string systemdContainer = {};             // /run/systemd/container
  bool kernelThreads = false;                    // process 2 is kthreadd: the first PID namespace
  std::string kernelRelease = {};
};

struct Virtualisation {
  std::string container;  // "docker", "podman", "lxc", ...; empty: none seen
  std::string machine;    // "kvm", "qemu", "firecracker", ...; "none"; empty: can't tell
  // The innermost: the container if there is one, else the machine.
  std::string innermost() const { return container.empty() ? machine : container; }
};

Virtualisation judge(const VirtualisationClues& clues);
VirtualisationClues readClues(const CpuInfo& cpu, const std::string& kernelRelease);

}  // namespace fleetmark::agent::linux_os
