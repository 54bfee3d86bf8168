// What a probe measures: samples with a verdict, notices, and how an attempt ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fleetmark::model {

// Direction of a metric: which end is good.
enum class Better { kHigher, kLower };

// Units of stored values. Base units only; people see scaled ones in reports.
enum class Unit {
  kSeconds,
  kBytes,
  kBytesPerSecond,
  kBitsPerSecond,  // of networks: people see decimal megabits
  kIterationsPerSecond,
  kOperationsPerSecond,
  kRatio,
  kCount,
};

// The verdict on one sample. Only kOk enters statistics and comparisons; every other one stays
// visible with its reasons.
enum class Verdict {
  kOk,
  kIncomplete,   // ended before it had done what was asked
  kContended,    // complete, but something else used the machine: flagged, never replaced
  kUnverified,   // the proof failed (cache bypass, checksum, pin): the value means nothing
  kTimedOut,     // over its time limit
  kUnavailable,  // the thing measured wasn't there (service, file system, permission)
};

struct Sample {
  std::string metric;            // name in the probe's MetricSpec list
  std::uint32_t index = 0;       // 0-based within the metric and attempt
  std::int64_t startedAtNs = 0;  // wall clock, ns since the Unix epoch, UTC
  std::optional<double> value;   // absent when there is no number; never a made-up zero
  Verdict verdict = Verdict::kOk;
  std::vector<std::string> reasons;  // why the verdict isn't kOk, for people
  std::string contextJson = "{}";    // evidence: contention, latency histogram, proof figures

  bool operator==(const Sample&) const = default;
};

// Something a reader must know that is not a sample.
struct Notice {
  std::string stage;    // where: "cpu/pin", "disk/cleanup"
  std::string message;  // a sentence
  bool operator==(const Notice&) const = default;
};

// How an attempt ended. Only kInfrastructure may be tried again.
enum class Outcome {
  kMeasured,        // all that was asked was attempted; samples carry their own verdicts
  kMeasurement,     // the measurement failed: a result, shown, never retried
  kInfrastructure,  // agent, coordinator or provider failed: may be tried again
  kCancelled,
};

std::string_view toString(Better better);
std::string_view toString(Unit unit);
std::string_view toString(Verdict verdict);
std::string_view toString(Outcome outcome);
std::optional<Better> parseBetter(std::string_view word);
std::optional<Unit> parseUnit(std::string_view word);
std::optional<Verdict> parseVerdict(std::string_view word);
std::optional<Outcome> parseOutcome(std::string_view word);

// All enumerators, for the tests that compare SQL CHECK lists and schemas with them.
const std::vector<Better>& allBetter();
const std::vector<Unit>& allUnits();
const std::vector<Verdict>& allVerdicts();
const std::vector<Outcome>& allOutcomes();

}  // namespace fleetmark::model
