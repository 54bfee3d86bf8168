#include "agent/core/backoff.h"

#include <gtest/gtest.h>

namespace fleetmark::agent::core {
namespace {

using std::chrono::seconds;

TEST(Backoff, DoublesUpToItsBoundWithinTheUpperHalf) {
  Backoff backoff(seconds(1), seconds(8), 1);
  for (int ceiling : {1, 2, 4, 8, 8, 8}) {
    auto wait = backoff.next();
    EXPECT_GE(wait, base::Nanos(seconds(ceiling)) / 2);
    EXPECT_LE(wait, base::Nanos(seconds(ceiling)));
  }
  backoff.reset();
  EXPECT_LE(backoff.next(), base::Nanos(seconds(1)));
}

TEST(Backoff, TwoAgentsDontWaitTheSame) {
  Backoff one(seconds(1), seconds(8), 1);
  Backoff other(seconds(1), seconds(8), 2);
  EXPECT_NE(one.next(), other.next());
}

}  // namespace
}  // namespace fleetmark::agent::core
