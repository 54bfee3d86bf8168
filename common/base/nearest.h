#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fleetmark::base {

// The candidate that a mistyped word most likely stands for: at most two edits away (one for words
// of up to three letters; an insertion, deletion, substitution or swap of neighbours is one edit),
// the first of equals. A word that is the beginning of exactly one candidate counts as well.
std::optional<std::string> nearestName(std::string_view word,
                                       std::span<const std::string_view> candidates);

}  // namespace fleetmark::base
