#include "common/base/nearest.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace fleetmark::base {

namespace {

constexpr std::size_t kLongestWord = 64;  // longer ones are no typing mistake

// Optimal string alignment distance.
std::size_t editDistance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      std::size_t swap = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + swap});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
      }
    }
  }
  return cost[a.size()][b.size()];
}

std::optional<std::string> onlyOneBeginningWith(std::string_view word,
                                                std::span<const std::string_view> candidates) {
  std::optional<std::string> found;
  for (auto candidate : candidates) {
    if (word.size() < 3 || !candidate.starts_with(word)) continue;
    if (found) return std::nullopt;
    found = std::string(candidate);
  }
  return found;
}

}  // namespace

std::optional<std::string> nearestName(std::string_view word,
                                       std::span<const std::string_view> candidates) {
  if (word.empty() || word.size() > kLongestWord) return std::nullopt;
  std::size_t best = word.size() <= 3 ? 1 : 2;
  std::optional<std::string> nearest;
  for (auto candidate : candidates) {
    if (candidate.size() > kLongestWord) continue;
    std::size_t distance = editDistance(word, candidate);
    if (distance < best || (distance == best && !nearest)) {
      best = distance;
      nearest = std::string(candidate);
    }
  }
  return nearest ? nearest : onlyOneBeginningWith(word, candidates);
}

}  // namespace fleetmark::base
