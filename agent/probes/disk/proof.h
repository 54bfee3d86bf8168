// Whether an operation really went past the page cache. That O_DIRECT was accepted says little: a
// file system may take it and cache all the same.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/platform/direct_io.h"
#include "agent/probes/disk/histogram.h"

namespace fleetmark::agent::probes::disk {

inline constexpr double kLeastIoShare = 0.99;      // of the bytes, moved by the block layer
inline constexpr double kMostResident = 0.01;      // of the file's pages, in the page cache
inline constexpr base::Nanos kLeastLatency{1000};  // no device answers sooner

// Evidence of one operation. Absent: the system doesn't say.
struct Proof {
  FileSystemFacts fileSystem;
  std::optional<DirectAlignment> alignment;
  base::Bytes moved;                      // by the operation, as the probe counts
  std::optional<base::Bytes> blockLayer;  // as the kernel counts for this process
  std::optional<double> resident;         // after the operation
  std::optional<base::Nanos> minLatency;

  std::optional<double> ioShare() const;
};

// Why the operation counts as unproven; empty: proven.
std::vector<std::string> doubts(const Proof& proof);
std::string proofJson(const Proof& proof);

}  // namespace fleetmark::agent::probes::disk
