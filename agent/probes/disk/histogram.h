// Latencies of one operation, log-linear: 32 equal steps between powers of two, so that a bucket
// is at most 1/32 (3.1 %) wide of its value. Fixed size, no allocation while recording.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/units.h"

namespace fleetmark::agent::probes::disk {

class LatencyHistogram {
 public:
  struct Bucket {
    std::int64_t fromNs = 0;  // inclusive
    std::int64_t toNs = 0;    // inclusive
    std::int64_t count = 0;
  };

  void record(base::Nanos latency);  // negative ones count as 0
  std::int64_t count() const { return count_; }
  // Exact. Absent when nothing was recorded.
  std::optional<base::Nanos> min() const;
  std::optional<base::Nanos> max() const;
  // Nearest rank; the upper end of its bucket, but never over max().
  std::optional<base::Nanos> percentile(double percent) const;
  std::vector<Bucket> buckets() const;  // those that hold something, ascending
  // {"n","min_ns","p50_ns","p99_ns" (from n = 300),"max_ns","buckets":[[from_ns,count],...]}
  std::string json() const;

 private:
  static constexpr int kSteps = 32;
  static constexpr int kBuckets = kSteps * 59;
  static std::size_t indexOf(std::uint64_t ns);
  static Bucket boundsOf(std::size_t index);

  std::array<std::int64_t, kBuckets> counts_{};
  std::int64_t count_ = 0;
  std::int64_t min_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace fleetmark::agent::probes::disk
