#include "agent/core/probe_input.h"

#include <gtest/gtest.h>

namespace fleetmark::agent::core {
namespace {

using namespace std::chrono_literals;

std::optional<base::MonoTime> decoded(std::string line) {
  EXPECT_EQ(line.back(), '\n');
  line.pop_back();
  return decodeLeaseLine(line);
}

TEST(LeaseLine, SaysUntilWhenTheLeaseIsSafe) {
  EXPECT_EQ(encodeLeaseLine(base::MonoTime(5s), 27s), "lease 5000000000 27000000000\n");
  EXPECT_EQ(decodeLeaseLine("lease 5000000000 27000000000"), base::MonoTime(32s));
}

TEST(LeaseLine, AnEndInThePastIsNow) {
  EXPECT_EQ(decoded(encodeLeaseLine(base::MonoTime(5s), -3s)), base::MonoTime(5s));
}

TEST(LeaseLine, NoLeaseIsLongerThanADay) {
  EXPECT_EQ(decoded(encodeLeaseLine(base::MonoTime(5s), base::Nanos::max())),
            base::MonoTime(24h + 5s));
  EXPECT_FALSE(decodeLeaseLine("lease 5 86400000000001"));
}

TEST(LeaseLine, AnythingElseIsNone) {
  for (const char* line : {"", "lease", "lease 5", "lease 5 ", "lease  5 6", "lease 5 6 7",
                           "lease -5 6", "lease 5 -6", "lease 5 6x", "Lease 5 6", "{}",
                           "lease 9223372036854775807 5", "lease 99999999999999999999 5"}) {
    EXPECT_FALSE(decodeLeaseLine(line)) << line;
  }
}

}  // namespace
}  // namespace fleetmark::agent::core
