#include "common/model/campaign.h"

#include "common/model/words.h"

namespace fleetmark::model {

namespace {

constexpr Words<Order, 4> kOrders{{{
    {Order::kDeclared, "declared"},
    {Order::kInterleave, "interleave"},
    {Order::kAbba, "abba"},
    {Order::kRandom, "random"},
}}};

constexpr Words<HostRelation, 4> kRelations{{{
    {HostRelation::kAny, "any"},
    {HostRelation::kSame, "same"},
    {HostRelation::kDifferent, "different"},
    {HostRelation::kFresh, "fresh"},
}}};

}  // namespace

std::string_view toString(Order order) { return kOrders.word(order); }
std::string_view toString(HostRelation relation) { return kRelations.word(relation); }
std::optional<Order> parseOrder(std::string_view word) { return kOrders.parse(word); }
std::optional<HostRelation> parseHostRelation(std::string_view word) {
  return kRelations.parse(word);
}
const std::vector<HostRelation>& allHostRelations() {
  static const std::vector<HostRelation> all = kRelations.all();
  return all;
}

}  // namespace fleetmark::model
