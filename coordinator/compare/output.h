// A comparison as people and as programs read it.
#pragma once

#include <string>

#include "coordinator/compare/comparison.h"

namespace fleetmark::coordinator::compare {

// An aligned table and, below it, what can't be told and why, what was left out, and notes. Text
// of users and hosts can't reach the terminal as control codes.
std::string comparisonText(const Comparison& comparison);
// Schema fleetmark.comparison/v1 (docs/comparing.md): base units, every digit, null where
// there is no number.
std::string comparisonJson(const Comparison& comparison);

}  // namespace fleetmark::coordinator::compare
