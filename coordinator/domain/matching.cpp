#include "coordinator/domain/matching.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace fleetmark::coordinator::domain {

namespace {

template <typename Values, typename Value>
bool holds(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

bool suits(const Offer& offer, std::size_t place, const OfferTaker& taker) {
  switch (offer.suits) {
    case Suits::kAll:
      break;
    case Suits::kNamed:
      if (!std::binary_search(offer.takers.begin(), offer.takers.end(), place)) return false;
      break;
  }
  return holds(taker.runners, offer.runner) && holds(taker.capabilities, offer.capability);
}

}  // namespace

std::vector<std::optional<std::size_t>> match(std::span<const OfferTaker> takers,
                                              std::span<const Offer> offers) {
  std::vector<std::optional<std::size_t>> out(takers.size());
  std::vector<bool> gone(offers.size(), false);
  std::set<std::string_view> busy;
  std::size_t firstLeft = 0;
  for (std::size_t place = 0; place < takers.size(); ++place) {
    const OfferTaker& taker = takers[place];
    if (taker.runners.empty() || busy.contains(taker.machine)) continue;
    while (firstLeft < offers.size() && gone[firstLeft]) ++firstLeft;
    for (std::size_t i = firstLeft; i < offers.size(); ++i) {
      if (gone[i] || !suits(offers[i], place, taker)) continue;
      gone[i] = true;
      busy.insert(taker.machine);
      out[place] = i;
      break;
    }
  }
  return out;
}

}  // namespace fleetmark::coordinator::domain
