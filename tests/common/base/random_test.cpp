#include "common/base/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "common/base/hex.h"

namespace fleetmark::base {
namespace {

// Expected values: tests/common/base/xoshiro_reference.py, which checks itself against the
// published outputs for the state 1, 2, 3, 4.

TEST(SeededRandom, ProducesTheReferenceSequence) {
  struct Case {
    std::uint64_t seed;
    std::array<std::uint64_t, 4> outputs;
  };
  const Case cases[] = {
      {0, {0x99ec5f36cb75f2b4, 0xbf6e1f784956452a, 0x1a5f849d4933e6e0, 0x6aa594f1262d2d2c}},
      {1, {0xb3f2af6d0fc710c5, 0x853b559647364cea, 0x92f89756082a4514, 0x642e1c7bc266a3a7}},
      {20261115, {0x5c7d0cf657bfe69a, 0x2bdb06ed289e2406, 0x82f7c3a0b8763a45, 0x2b39c110df20e8f2}},
      {UINT64_MAX,
       {0x8f5520d52a7ead08, 0xc476a018caa1802d, 0x81de31c0d260469e, 0xbf658d7e065f3c2f}},
  };
  for (const auto& each : cases) {
    SeededRandom random(each.seed);
    for (auto expected : each.outputs) EXPECT_EQ(random.next(), expected) << each.seed;
  }
}

TEST(SeededRandom, DrawsBelowABoundAsTheReference) {
  SeededRandom random(7);
  for (std::uint64_t expected : {94, 74, 38, 64, 64, 21, 16, 96, 8, 19}) {
    EXPECT_EQ(random.below(100), expected);
  }
}

TEST(SeededRandom, BelowStaysBelow) {
  SeededRandom random(1);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(random.below(1), 0u);
  std::uint64_t bound = (std::uint64_t{1} << 63) + 1;  // nearly half of all draws are rejected
  for (int i = 0; i < 100; ++i) EXPECT_LT(random.below(bound), bound);
}

TEST(SeededRandom, ShufflesAsTheReference) {
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  SeededRandom random(20261115);
  random.shuffle(items);
  EXPECT_EQ(items, (std::vector<int>{8, 6, 3, 9, 0, 7, 1, 5, 4, 2}));
}

TEST(SeededRandom, ShuffleOfNothingOrOneDrawsNothing) {
  SeededRandom random(1), untouched(1);
  std::vector<int> none, one{5};
  random.shuffle(none);
  random.shuffle(one);
  EXPECT_EQ(random.next(), untouched.next());
}

TEST(SeededRandom, UnitHas53Bits) {
  SeededRandom random(7);
  EXPECT_DOUBLE_EQ(random.unit(), 0.7005764821796896);
  EXPECT_DOUBLE_EQ(random.unit(), 0.2787512294737843);
  EXPECT_DOUBLE_EQ(random.unit(), 0.8396274618764198);
}

TEST(SeededRandom, FillsLittleEndianWithAShortTail) {
  std::array<std::uint8_t, 11> bytes{};
  SeededRandom random(7);
  random.fill(bytes);
  EXPECT_EQ(toHex(std::string(bytes.begin(), bytes.end())), "5a76f94ef7fa58b3d22c48");
}

TEST(SecureRandom, GivesTheLengthAskedForAndNoRepeats) {
  for (std::size_t size : {0u, 1u, 3u, 16u, 33u}) EXPECT_EQ(secureRandomBytes(size).size(), size);
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(secureRandomBytes(16));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(NewUuid, IsVersionFourOfRfc4122) {
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) {
    std::string text = newUuid().toString();
    EXPECT_EQ(text[14], '4') << text;
    EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos) << text;
    seen.insert(text);
  }
  EXPECT_EQ(seen.size(), 200u);
}

}  // namespace
}  // namespace fleetmark::base
