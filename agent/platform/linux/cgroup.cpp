#include "agent/platform/linux/cgroup.h"

#include <algorithm>
#include <string>

#include "agent/platform/linux/read_text.h"

namespace fleetmark::agent::linux_os {

namespace {

enum class Version { kV1, kV2 };

struct Group {
  std::string mountPoint;
  std::string path;  // "/a/b", "/" for the root
  Version version = Version::kV2;
};

bool hasOption(const std::string& options, std::string_view wanted) {
  return ("," + options + ",").find("," + std::string(wanted) + ",") != std::string::npos;
}

// In a container the mount shows a part of the tree only; paths above it are cut away.
std::string below(const std::string& root, const std::string& path) {
  if (root == "/") return path;
  if (path == root) return "/";
  if (path.rfind(root + "/", 0) == 0) return path.substr(root.size());
  return path;
}

std::vector<Group> cpuGroups(const std::vector<Mount>& mounts, const CgroupPaths& groups) {
  std::vector<Group> out;
  for (const auto& mount : mounts) {
    if (mount.type == "cgroup2" && groups.unified) {
      out.push_back({mount.point, below(mount.root, *groups.unified), Version::kV2});
    }
    auto cpu = groups.controllers.find("cpu");
    if (mount.type == "cgroup" && cpu != groups.controllers.end() &&
        hasOption(mount.superOptions, "cpu")) {
      out.push_back({mount.point, below(mount.root, cpu->second), Version::kV1});
    }
  }
  return out;
}

std::optional<double> quotaAt(const Group& group, const std::string& path) {
  std::string folder = group.mountPoint + path + (path == "/" ? "" : "/");
  if (group.version == Version::kV2) {
    auto text = readText(folder + "cpu.max");
    return text ? parseCpuMax(*text) : std::nullopt;
  }
  auto quota = readText(folder + "cpu.cfs_quota_us");
  auto period = readText(folder + "cpu.cfs_period_us");
  return quota && period ? quotaOf(*quota, *period) : std::nullopt;
}

}  // namespace

std::optional<double> readCpuQuota(const std::vector<Mount>& mounts, const CgroupPaths& groups) {
  std::optional<double> least;
  for (const auto& group : cpuGroups(mounts, groups)) {
    for (std::string path = group.path;;) {
      if (auto quota = quotaAt(group, path)) least = std::min(least.value_or(*quota), *quota);
      if (path == "/" || path.empty()) break;
      path = path.substr(0, path.rfind('/'));
      if (path.empty()) path = "/";
    }
  }
  return least;
}

std::optional<Throttling> readThrottling(const std::vector<Mount>& mounts,
                                         const CgroupPaths& groups) {
  for (const auto& group : cpuGroups(mounts, groups)) {
    auto text = readText(group.mountPoint + group.path + "/cpu.stat");
    if (!text) continue;
    if (auto found = parseCpuStat(*text)) return found;
  }
  return std::nullopt;
}

}  // namespace fleetmark::agent::linux_os
