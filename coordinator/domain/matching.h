// Which of several agents gets which of the steps that are due.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fleetmark::coordinator::domain {

enum class Suits {
  kAll,    // whoever has runner and capability
  kNamed,  // those in Offer::takers: what the step needs was done on a host it must not, or must,
           // share
};

struct Offer {
  std::int64_t step = 0;
  std::int64_t runner = 0;
  std::string capability;
  Suits suits = Suits::kAll;
  std::vector<std::size_t> takers;  // places, rising
};

struct OfferTaker {
  std::string machine;                // where one probe at a time runs
  std::vector<std::int64_t> runners;  // whose labels it has; empty: it takes nothing
  std::vector<std::string> capabilities;
};

// For each taker the place of its offer. The takers choose one after the other, each the first
// offer that suits it and that nobody before it chose; of the agents of one machine only one gets
// any.
std::vector<std::optional<std::size_t>> match(std::span<const OfferTaker> takers,
                                              std::span<const Offer> offers);

}  // namespace fleetmark::coordinator::domain
