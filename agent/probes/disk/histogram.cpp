#include "agent/probes/disk/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "common/stats/summary.h"

namespace fleetmark::agent::probes::disk {

std::size_t LatencyHistogram::indexOf(std::uint64_t ns) {
  if (ns < kSteps) return static_cast<std::size_t>(ns);
  auto shift = static_cast<std::size_t>(std::bit_width(ns)) - 6;  // leaves 32 to 63
  return (shift + 1) * kSteps + static_cast<std::size_t>(ns >> shift) - kSteps;
}

LatencyHistogram::Bucket LatencyHistogram::boundsOf(std::size_t index) {
  if (index < kSteps)
    return {static_cast<std::int64_t>(index), static_cast<std::int64_t>(index), 0};
  auto shift = index / kSteps - 1;
  auto from = static_cast<std::int64_t>(index % kSteps + kSteps) << shift;
  return {from, from + (std::int64_t{1} << shift) - 1, 0};
}

void LatencyHistogram::record(base::Nanos latency) {
  auto ns = std::max<std::int64_t>(0, latency.count());
  ++counts_[std::min<std::size_t>(indexOf(static_cast<std::uint64_t>(ns)), kBuckets - 1)];
  min_ = count_ == 0 ? ns : std::min(min_, ns);
  max_ = count_ == 0 ? ns : std::max(max_, ns);
  ++count_;
}

std::optional<base::Nanos> LatencyHistogram::min() const {
  return count_ == 0 ? std::nullopt : std::optional(base::Nanos(min_));
}

std::optional<base::Nanos> LatencyHistogram::max() const {
  return count_ == 0 ? std::nullopt : std::optional(base::Nanos(max_));
}

std::optional<base::Nanos> LatencyHistogram::percentile(double percent) const {
  if (count_ == 0) return std::nullopt;
  auto rank = static_cast<std::int64_t>(std::ceil(percent / 100 * static_cast<double>(count_)));
  rank = std::clamp<std::int64_t>(rank, 1, count_);
  std::int64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return base::Nanos(std::min(boundsOf(i).toNs, max_));
  }
  return base::Nanos(max_);
}

std::vector<LatencyHistogram::Bucket> LatencyHistogram::buckets() const {
  std::vector<Bucket> out;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    auto bucket = boundsOf(i);
    bucket.count = counts_[i];
    out.push_back(bucket);
  }
  return out;
}

std::string LatencyHistogram::json() const {
  nlohmann::json out{{"n", count_}};
  if (count_ > 0) {
    out["min_ns"] = min_;
    out["max_ns"] = max_;
    out["p50_ns"] = percentile(50)->count();
    if (count_ >= stats::kLeastForP99) out["p99_ns"] = percentile(99)->count();
    auto list = nlohmann::json::array();
    for (const auto& bucket : buckets()) list.push_back({bucket.fromNs, bucket.count});
    out["buckets"] = std::move(list);
  }
  return out.dump();
}

}  // namespace fleetmark::agent::probes::disk
