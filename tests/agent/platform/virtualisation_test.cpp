#include "agent/platform/linux/virtualisation.h"

#include <gtest/gtest.h>

namespace fleetmark::agent::linux_os {
namespace {

TEST(Virtualisation, FirecrackerSaysSoInItsAcpiTables) {
  auto found = judge({.cpuidVendor = "KVMKVMKVM", .acpiOem = "FIRECK", .hypervisorFlag = true});
  EXPECT_EQ(found.innermost(), "firecracker");
}

TEST(Virtualisation, BareMetalHasDmiAndNoHypervisor) {
  EXPECT_EQ(judge({.dmi = "Dell Inc.\nPowerEdge R640\n"}).innermost(), "none");
}

TEST(Virtualisation, WithoutAnyClueItIsUnknownNotNone) { EXPECT_EQ(judge({}).innermost(), ""); }

TEST(Virtualisation, CloudAndHypervisorNames) {
  EXPECT_EQ(judge({.dmi = "Amazon EC2\nm5.large\n", .cpuidVendor = "KVMKVMKVM"}).machine, "ec2");
  EXPECT_EQ(
      judge({.dmi = "QEMU\nStandard PC (i440FX + PIIX, 1996)\n", .cpuidVendor = "TCGTCGTCGTCG"})
          .machine,
      "qemu");
  EXPECT_EQ(judge({.dmi = "Microsoft Corporation\nVirtual Machine\n"}).machine, "hyper-v");
  EXPECT_EQ(judge({.cpuidVendor = "KVMKVMKVM", .hypervisorFlag = true}).machine, "kvm");
  EXPECT_EQ(judge({.deviceTree = "linux,kvm"}).machine, "kvm");
  EXPECT_EQ(judge({.hypervisorFlag = true}).machine, "vm") << "a hypervisor without a name";
}

TEST(Virtualisation, ContainerIsTheInnermost) {
  auto found = judge({.dmi = "QEMU\n",
                      .hypervisorFlag = true,
                      .initCgroup = "0::/system.slice/docker-0123456789abcdef.scope\n"});
  EXPECT_EQ(found.innermost(), "docker");
  EXPECT_EQ(found.machine, "qemu");
  EXPECT_EQ(judge({.containerEnv = "engine=\"podman-4.3\"\n"}).innermost(), "podman");
  EXPECT_EQ(judge({.initCgroup = "0::/kubepods/burstable/pod1\n"}).innermost(), "kubernetes");
  EXPECT_EQ(judge({.systemdContainer = "systemd-nspawn"}).innermost(), "systemd-nspawn");
}

TEST(Virtualisation, ImageBootedAsAMachineIsNoContainer) {
  auto found = judge(
      {.acpiOem = "FIRECK", .initCgroup = "0::/\n", .dockerEnv = true, .kernelThreads = true});
  EXPECT_EQ(found.container, "");
  EXPECT_EQ(found.innermost(), "firecracker");
  EXPECT_EQ(judge({.dockerEnv = true}).innermost(), "docker") << "no kernel threads in sight";
}

}  // namespace
}  // namespace fleetmark::agent::linux_os
