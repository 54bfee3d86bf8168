#include "agent/probes/disk/proof.h"

#include <cstdio>
#include <nlohmann/json.hpp>

namespace fleetmark::agent::probes::disk {

namespace {

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", share * 100);
  return text;
}

}  // namespace

std::optional<double> Proof::ioShare() const {
  if (!blockLayer || moved.count <= 0) return std::nullopt;
  return static_cast<double>(blockLayer->count) / static_cast<double>(moved.count);
}

std::vector<std::string> doubts(const Proof& proof) {
  std::vector<std::string> out;
  if (proof.fileSystem.memoryBacked) {
    out.push_back("the file system is " + proof.fileSystem.type + ", which lives in memory");
  }
  if (proof.alignment && proof.alignment->offset == 0) {
    out.push_back("the file system offers no direct I/O for this file");
  }
  auto share = proof.ioShare();
  if (!share) {
    out.push_back("the kernel doesn't count this process's I/O, so the bypass can't be shown");
  } else if (*share < kLeastIoShare) {
    out.push_back("the block layer moved " + percent(*share) +
                  " of the bytes, less than 99 %: the rest came from or stayed in a cache");
  }
  if (!proof.resident) {
    out.push_back("the kernel doesn't tell which pages are cached, so the bypass can't be shown");
  } else if (*proof.resident > kMostResident) {
    out.push_back(percent(*proof.resident) + " of the file is in the page cache, more than 1 %");
  }
  if (proof.minLatency && *proof.minLatency < kLeastLatency) {
    out.push_back("the fastest operation took " + base::formatDuration(*proof.minLatency) +
                  ", less than 1us: no device answers so soon");
  }
  return out;
}

std::string proofJson(const Proof& proof) {
  nlohmann::json out{{"file_system", proof.fileSystem.type},
                     {"mount_point", proof.fileSystem.mountPoint},
                     {"mount_options", proof.fileSystem.options},
                     {"device", proof.fileSystem.device},
                     {"moved_bytes", proof.moved.count}};
  if (proof.alignment) {
    out["direct_memory_align_bytes"] = proof.alignment->memory;
    out["direct_offset_align_bytes"] = proof.alignment->offset;
  }
  if (proof.blockLayer) out["block_layer_bytes"] = proof.blockLayer->count;
  if (auto share = proof.ioShare()) out["block_layer_share"] = *share;
  if (proof.resident) out["resident_share"] = *proof.resident;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace fleetmark::agent::probes::disk
