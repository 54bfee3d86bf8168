// What an agent says about the machine it stands on.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace fleetmark::model {

using Labels = std::map<std::string, std::string>;

// Facts that can't be read are empty, never invented.
struct HostFacts {
  std::string hostname;
  std::string os;    // linux | macos | windows
  std::string arch;  // x64 | arm64
  std::string cpuModel;
  std::string virtualisation;  // none | kvm | qemu | firecracker | docker | ...; empty: unknown
  std::string kernel;
  std::string osImage;    // PRETTY_NAME or the vendor's image version
  std::string machineId;  // stable over reboots; hashed, not the raw id
  std::string bootId;     // one boot of one machine (an OS instance)
  std::string
      machineKey;  // what the one-probe-at-a-time lock is on: one physical or virtual CPU set
  double effectiveCpus = 0;  // after affinity and cgroup quota; 0: unknown
  std::int64_t memoryBytes = 0;
  std::string environmentJson = "{}";  // everything else that was read, one document

  bool operator==(const HostFacts&) const = default;
};

// True when every wanted label stands in `have` with the same value.
bool labelsMatch(const Labels& wanted, const Labels& have);
// "os=linux, arch=x64" for messages; "(any)" when empty.
std::string describeLabels(const Labels& labels);

}  // namespace fleetmark::model
