// The words of verdicts and doubts, and the clauses that explain them.
#pragma once

#include <string>
#include <string_view>

#include "coordinator/compare/comparison.h"

namespace fleetmark::coordinator::compare {

std::string_view toString(stats::Verdict verdict);  // faster | slower | same | cannot_tell
std::string_view toString(stats::Doubt doubt);      // n_too_small, cv_too_high, ...
std::string_view toString(Refusal refusal);         // fingerprints_differ, ...
std::string_view toString(stats::SamplingUnit unit);

// "n too small: 3 and 3 samples, where at least 4 a side are needed".
std::string clauseOf(const Row& row, const Options& options, std::size_t tested);
// "disk_random_read_rate" of disk -> "disk random read".
std::string labelOf(const std::string& probe, std::string metric);

}  // namespace fleetmark::coordinator::compare
