// Bytes that were cut, damaged or made up: an answer or kInvalid, never a crash.
#include <gtest/gtest.h>

#include <random>

#include "common/rpc/agent_codec.h"
#include "common/rpc/message_bytes_codec.h"
#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using namespace fleetmark::tests;

// What is accepted is valid: it goes over the wire again and comes back the same.
void expectValid(const model::SampleChunk& chunk) {
  auto again = decodeSampleChunk(encodeSampleChunk(chunk));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, chunk);
}
void expectValid(const model::Completion& completion) {
  auto again = decodeCompletion(encodeCompletion(completion));
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(*again, completion);
}
void expectValid(const model::Assignment& assignment) {
  EXPECT_TRUE(decodeAssignment(encodeAssignment(assignment)));
}

template <typename Decode>
bool handled(std::string_view bytes, Decode decode) {
  auto result = decode(bytes);
  if (!result) return refused(result);
  expectValid(*result);
  return true;
}

template <typename Decode>
void damage(const std::string& good, Decode decode, std::uint32_t seed) {
  std::mt19937 random(seed);
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 8; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << (random() % 8));
    }
    ASSERT_TRUE(handled(bytes, decode)) << "seed " << seed << ", round " << round;
  }
  for (int round = 0; round < 1000; ++round) {  // whole words of the head are the pointers
    std::string bytes = good;
    auto word = 8 * (random() % std::min<std::size_t>(bytes.size() / 8, 16));
    for (std::size_t i = 0; i < 8; ++i) bytes[word + i] = static_cast<char>(random());
    ASSERT_TRUE(handled(bytes, decode)) << "seed " << seed << ", round " << round;
  }
}

TEST(HostileBytes, FlippedBitsAreAnsweredOrRefused) {
  damage(encodeSampleChunk(fullChunk()), decodeSampleChunk, 1);
  damage(encodeCompletion(fullCompletion()), decodeCompletion, 2);
  damage(encodeAssignment(fullAssignment()), decodeAssignment, 3);
}

TEST(HostileBytes, EveryCutIsRefused) {
  auto cut = [](const std::string& good, auto decode) {
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_TRUE(refused(decode(std::string_view(good).substr(0, size)))) << size;
    }
  };
  cut(encodeSampleChunk(fullChunk()), decodeSampleChunk);
  cut(encodeCompletion(fullCompletion()), decodeCompletion);
  cut(encodeAssignment(fullAssignment()), decodeAssignment);
}

TEST(HostileBytes, NoiseIsRefused) {
  std::mt19937 random(4);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(8 * (1 + random() % 64), '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    ASSERT_TRUE(refused(decodeCompletion(bytes)));
  }
}

// Cap'n Proto, "Serialization Over a Stream": the number of segments minus one, then their sizes in
// words, each 32 bits.
TEST(HostileBytes, ASegmentTableThatClaimsTooMuchIsRefused) {
  auto table = [](std::uint32_t segmentsMinusOne, std::uint32_t words) {
    std::string bytes;
    for (std::uint32_t number : {segmentsMinusOne, words, words, words}) {
      for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(number >> shift);
    }
    return bytes;
  };
  for (std::uint32_t segments : {0u, 1u, 2u, 511u, 512u, 0x7fffffffu, 0xfffffffeu, 0xffffffffu}) {
    for (std::uint32_t words : {1000u, 0x1fffffffu, 0x7fffffffu, 0xffffffffu}) {
      EXPECT_TRUE(refused(decodeSampleChunk(table(segments, words)))) << segments << " " << words;
    }
  }
}

// A list of elements without content costs no bytes: a struct list with a tag word of 2^29 elements
// of zero words. The limit of samples holds before anything is made for them.
TEST(HostileBytes, AListOfNothingTimesHalfABillionIsRefused) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::SampleChunk>();
  root.initSamples(1);
  std::string bytes = flatten(message);
  // Segment table (1 word), root pointer, 1 data word, the list's pointer, the list's tag.
  ASSERT_GE(bytes.size(), 40u);
  auto put = [&](std::size_t word, std::uint64_t value) {
    for (std::size_t i = 0; i < 8; ++i) bytes[8 * word + i] = static_cast<char>(value >> (8 * i));
  };
  put(3, 0x0000000700000001);                  // inline composite of 0 words
  put(4, std::uint64_t{(1u << 29) - 1} << 2);  // tag: 2^29 - 1 structs of no words
  EXPECT_TRUE(refused(decodeSampleChunk(bytes)));
}

}  // namespace
}  // namespace fleetmark::rpc
