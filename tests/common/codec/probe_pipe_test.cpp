#include "common/rpc/probe_pipe.h"

#include <gtest/gtest.h>

#include <random>

#include "common/rpc/wire_limits.h"
#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using namespace fleetmark::tests;

std::string allEvents() {
  return encodeProbeEvent(fullSample()) +
         encodeProbeEvent(model::Notice{"cpu/pin", "no CPU could be had"}) +
         encodeProbeEvent(ProbeProgress{"sample 2 of 3"}) +
         encodeProbeEvent(ProbeFailed{base::unavailable("the folder is gone")}) +
         encodeProbeEvent(ProbeDone{});
}

void expectAllEvents(const std::vector<ProbeEvent>& events) {
  ASSERT_EQ(events.size(), 5u);
  EXPECT_EQ(std::get<model::Sample>(events[0]), fullSample());
  EXPECT_EQ(std::get<model::Notice>(events[1]), (model::Notice{"cpu/pin", "no CPU could be had"}));
  EXPECT_EQ(std::get<ProbeProgress>(events[2]).text, "sample 2 of 3");
  EXPECT_EQ(std::get<ProbeFailed>(events[3]).error, base::unavailable("the folder is gone"));
  EXPECT_TRUE(std::holds_alternative<ProbeDone>(events[4]));
}

TEST(ProbePipe, EventsFedByteByByteComeWholeAndInOrder) {
  ProbePipeReader reader;
  std::vector<ProbeEvent> events;
  std::size_t boundaries = 0;
  for (char byte : allEvents()) {
    ASSERT_TRUE(reader.feed(std::string_view(&byte, 1)));
    auto event = reader.next();
    ASSERT_TRUE(event) << event.error().message;
    if (*event) events.push_back(std::move(**event));
    boundaries += reader.atBoundary() ? 1 : 0;
  }
  expectAllEvents(events);
  EXPECT_EQ(boundaries, 5u);  // after each event and nowhere within one
}

TEST(ProbePipe, EventsFedTogetherComeOneByOne) {
  ProbePipeReader reader;
  ASSERT_TRUE(reader.feed(allEvents()));
  std::vector<ProbeEvent> events;
  for (;;) {
    auto event = reader.next();
    ASSERT_TRUE(event) << event.error().message;
    if (!*event) break;
    events.push_back(std::move(**event));
  }
  expectAllEvents(events);
  EXPECT_TRUE(reader.atBoundary());
}

TEST(ProbePipe, AHalfEventIsNoBoundary) {
  ProbePipeReader reader;
  EXPECT_TRUE(reader.atBoundary());
  auto bytes = encodeProbeEvent(ProbeDone{});
  ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(0, bytes.size() - 1)));
  auto event = reader.next();
  ASSERT_TRUE(event);
  EXPECT_FALSE(*event);
  EXPECT_FALSE(reader.atBoundary());
}

TEST(ProbePipe, TextInsteadOfEventsIsRefused) {
  ProbePipeReader reader;
  ASSERT_TRUE(reader.feed("Segmentation fault (core dumped)\n"));
  EXPECT_TRUE(refused(reader.next()));
  EXPECT_TRUE(refused(reader.next()));  // and stays so
}

TEST(ProbePipe, TooManySegmentsAreRefusedBeforeTheirTableHasCome) {
  ProbePipeReader few;
  ASSERT_TRUE(few.feed(std::string("\x3f\0\0\0", 4)));  // 64
  auto event = few.next();
  ASSERT_TRUE(event);
  EXPECT_FALSE(*event);
  for (const auto& head : {std::string("\x40\0\0\0", 4), std::string("\xff\xff\xff\xff", 4)}) {
    ProbePipeReader reader;
    ASSERT_TRUE(reader.feed(head));
    EXPECT_TRUE(refused(reader.next()));
  }
}

TEST(ProbePipe, AnEventThatClaimsOverFourMebibytesIsRefusedAtItsHead) {
  // 4 MiB are 0x80000 words; the table is one of them.
  ProbePipeReader fits;
  ASSERT_TRUE(fits.feed(std::string("\0\0\0\0\xff\xff\x07\0", 8)));
  EXPECT_TRUE(fits.next());
  ProbePipeReader over;
  ASSERT_TRUE(over.feed(std::string("\0\0\0\0\0\0\x08\0", 8)));
  EXPECT_TRUE(refused(over.next()));
}

TEST(ProbePipe, NeverHoldsMoreThanItsBound) {
  ProbePipeReader reader;
  std::string head("\0\0\0\0\xff\xff\x07\0", 8);
  ASSERT_TRUE(reader.feed(head));
  ASSERT_TRUE(reader.feed(std::string(ProbePipeReader::kMaxPending - head.size(), 'x')));
  EXPECT_TRUE(refused(reader.feed("x")));
}

TEST(ProbePipe, AnOverlongLineOfProgressIsRefused) {
  ProbePipeReader reader;
  ASSERT_TRUE(reader.feed(encodeProbeEvent(ProbeProgress{std::string(kMaxMessage, 'x')})));
  EXPECT_TRUE(reader.next());
  ASSERT_TRUE(reader.feed(encodeProbeEvent(ProbeProgress{std::string(kMaxMessage + 1, 'x')})));
  EXPECT_TRUE(refused(reader.next()));
}

TEST(ProbePipe, DamagedBytesNeverDoMoreThanEndTheReading) {
  std::mt19937 random(5);
  const std::string good = allEvents();
  for (int round = 0; round < 4000; ++round) {
    std::string bytes = good;
    for (unsigned flips = 1 + random() % 6; flips > 0; --flips) {
      bytes[random() % bytes.size()] ^= static_cast<char>(1u << (random() % 8));
    }
    ProbePipeReader reader;
    std::size_t events = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 13) {
      ASSERT_TRUE(reader.feed(std::string_view(bytes).substr(at, 13)));
      auto event = reader.next();
      if (!event) {
        ASSERT_TRUE(refused(event));
        break;
      }
      events += event->has_value() ? 1 : 0;
    }
    ASSERT_LE(events, 5u);
  }
}

}  // namespace
}  // namespace fleetmark::rpc
