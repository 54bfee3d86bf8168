#include "common/model/sample.h"

#include "common/model/words.h"

namespace fleetmark::model {

namespace {

constexpr Words<Better, 2> kBetter{{{{Better::kHigher, "higher"}, {Better::kLower, "lower"}}}};

constexpr Words<Unit, 8> kUnits{{{
    {Unit::kSeconds, "seconds"},
    {Unit::kBytes, "bytes"},
    {Unit::kBytesPerSecond, "bytes_per_second"},
    {Unit::kBitsPerSecond, "bits_per_second"},
    {Unit::kIterationsPerSecond, "iterations_per_second"},
    {Unit::kOperationsPerSecond, "operations_per_second"},
    {Unit::kRatio, "ratio"},
    {Unit::kCount, "count"},
}}};

constexpr Words<Verdict, 6> kVerdicts{{{
    {Verdict::kOk, "ok"},
    {Verdict::kIncomplete, "incomplete"},
    {Verdict::kContended, "contended"},
    {Verdict::kUnverified, "unverified"},
    {Verdict::kTimedOut, "timed_out"},
    {Verdict::kUnavailable, "unavailable"},
}}};

constexpr Words<Outcome, 4> kOutcomes{{{
    {Outcome::kMeasured, "measured"},
    {Outcome::kMeasurement, "measurement"},
    {Outcome::kInfrastructure, "infrastructure"},
    {Outcome::kCancelled, "cancelled"},
}}};

}  // namespace

std::string_view toString(Better better) { return kBetter.word(better); }
std::string_view toString(Unit unit) { return kUnits.word(unit); }
std::string_view toString(Verdict verdict) { return kVerdicts.word(verdict); }
std::string_view toString(Outcome outcome) { return kOutcomes.word(outcome); }
std::optional<Better> parseBetter(std::string_view word) { return kBetter.parse(word); }
std::optional<Unit> parseUnit(std::string_view word) { return kUnits.parse(word); }
std::optional<Verdict> parseVerdict(std::string_view word) { return kVerdicts.parse(word); }
std::optional<Outcome> parseOutcome(std::string_view word) { return kOutcomes.parse(word); }

const std::vector<Better>& allBetter() {
  static const std::vector<Better> all = kBetter.all();
  return all;
}
const std::vector<Unit>& allUnits() {
  static const std::vector<Unit> all = kUnits.all();
  return all;
}
const std::vector<Verdict>& allVerdicts() {
  static const std::vector<Verdict> all = kVerdicts.all();
  return all;
}
const std::vector<Outcome>& allOutcomes() {
  static const std::vector<Outcome> all = kOutcomes.all();
  return all;
}

}  // namespace fleetmark::model
