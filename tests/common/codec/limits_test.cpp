// The limits of wire_limits.h: exactly at each one is taken, one more is refused.
#include <gtest/gtest.h>

#include <limits>

#include "common/rpc/agent_codec.h"
#include "common/rpc/wire_limits.h"
#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using namespace fleetmark::tests;

std::string text(std::size_t size) { return std::string(size, 'x'); }
std::string json(std::size_t size) { return "{\"a\":\"" + text(size - 8) + "\"}"; }
std::string nested(std::size_t depth) {
  return "{\"a\":" + std::string(depth - 1, '[') + std::string(depth - 1, ']') + "}";
}

// set(value, size) makes a part of the value `size` large.
template <typename Schema, typename Model, typename Set, typename... More>
void expectLimit(const Model& good, std::size_t most, Set set, const char* what, More... more) {
  SCOPED_TRACE(what);
  Model value = good;
  set(value, most);
  auto atLimit = overTheWire<Schema>(value, more...);
  EXPECT_TRUE(atLimit) << atLimit.error().message;
  value = good;
  set(value, most + 1);
  EXPECT_TRUE(refused(overTheWire<Schema>(value, more...)));
}

TEST(WireLimits, OfASample) {
  auto good = fullSample();
  using S = model::Sample;
  using W = schema::Sample;
  expectLimit<W>(
      good, kMaxName, [](S& s, std::size_t n) { s.metric = text(n); }, "metric");
  expectLimit<W>(
      good, kMaxReasons, [](S& s, std::size_t n) { s.reasons.assign(n, "busy"); }, "reasons");
  expectLimit<W>(
      good, kMaxMessage, [](S& s, std::size_t n) { s.reasons = {text(n)}; }, "one reason");
  expectLimit<W>(
      good, kMaxContextJson, [](S& s, std::size_t n) { s.contextJson = json(n); }, "context");
  expectLimit<W>(
      good, kMaxJsonDepth, [](S& s, std::size_t n) { s.contextJson = nested(n); }, "nesting");
}

TEST(WireLimits, OfAChunk) {
  using C = model::SampleChunk;
  using W = schema::SampleChunk;
  model::Sample small;
  small.metric = "m";
  small.value = 1;
  expectLimit<W>(
      C(), kMaxSamplesInChunk, [&](C& c, std::size_t n) { c.samples.assign(n, small); }, "samples");
  expectLimit<W>(
      C(), kMaxChunks - 1, [](C& c, std::size_t n) { c.number = static_cast<std::uint32_t>(n); },
      "number");
}

TEST(WireLimits, OfACompletion) {
  using C = model::Completion;
  using W = schema::Completion;
  auto good = fullCompletion();
  expectLimit<W>(
      good, kMaxMessage, [](C& c, std::size_t n) { c.message = text(n); }, "message");
  expectLimit<W>(
      good, kMaxChunks, [](C& c, std::size_t n) { c.chunkCount = static_cast<std::uint32_t>(n); },
      "chunks");
  expectLimit<W>(
      good, kMaxNotices,
      [](C& c, std::size_t n) {
        c.notices.assign(n, {"s", "m"});
      },
      "notices");
  expectLimit<W>(
      good, kMaxName,
      [](C& c, std::size_t n) {
        c.notices = {{text(n), "m"}};
      },
      "stage");
  expectLimit<W>(
      good, kMaxMessage,
      [](C& c, std::size_t n) {
        c.notices = {{"s", text(n)}};
      },
      "notice");
  expectLimit<W>(
      good, kMaxEnvironmentJson, [](C& c, std::size_t n) { c.environmentBeforeJson = json(n); },
      "before");
  expectLimit<W>(
      good, kMaxEnvironmentJson, [](C& c, std::size_t n) { c.environmentAfterJson = json(n); },
      "after");
}

TEST(WireLimits, OfAnAssignment) {
  using A = model::Assignment;
  using W = schema::Assignment;
  auto good = fullAssignment();
  for (auto field : {&A::campaignName, &A::runner, &A::stepName, &A::probe}) {
    expectLimit<W>(
        good, kMaxName, [field](A& a, std::size_t n) { a.*field = text(n); }, "a name");
  }
  for (auto field : {&A::paramsJson, &A::placementJson}) {
    expectLimit<W>(
        good, kMaxParamsJson, [field](A& a, std::size_t n) { a.*field = json(n); }, "parameters");
  }
  constexpr std::size_t k400Days = std::size_t{400} * 86'400 * 1'000'000'000;
  for (auto field : {&A::leaseTtl, &A::timeLimit, &A::noProgressLimit}) {
    auto set = [field](A& a, std::size_t n) { a.*field = base::Nanos(n); };
    expectLimit<W>(good, k400Days, set, "a duration");
    auto negative = good;
    negative.*field = base::Nanos(-1);
    EXPECT_TRUE(refused(overTheWire<W>(negative)));
  }
}

TEST(WireLimits, OfAHello) {
  using H = model::AgentHello;
  using W = schema::AgentHello;
  auto good = fullHello();
  for (auto field : {&H::name, &H::version, &H::instanceNonce}) {
    expectLimit<W>(
        good, kMaxName, [field](H& h, std::size_t n) { h.*field = text(n); }, "a name", kAgent);
  }
  using F = model::HostFacts;
  for (auto field : {&F::hostname, &F::os, &F::arch, &F::cpuModel, &F::virtualisation, &F::kernel,
                     &F::osImage, &F::machineId, &F::bootId, &F::machineKey}) {
    expectLimit<W>(
        good, kMaxName, [field](H& h, std::size_t n) { h.host.*field = text(n); }, "a host fact",
        kAgent);
  }
  expectLimit<W>(
      good, kMaxEnvironmentJson, [](H& h, std::size_t n) { h.host.environmentJson = json(n); },
      "environment", kAgent);
  expectLimit<W>(
      good, kMaxProbes, [](H& h, std::size_t n) { h.probes.assign(n, "cpu/1"); }, "probes", kAgent);
  expectLimit<W>(
      good, kMaxName, [](H& h, std::size_t n) { h.probes = {text(n)}; }, "a probe", kAgent);
  auto manyLabels = [](H& h, std::size_t n) {
    h.labels.clear();
    for (std::size_t i = 0; i < n; ++i) h.labels["l" + std::to_string(i)] = "v";
  };
  expectLimit<W>(good, kMaxLabels, manyLabels, "labels", kAgent);
  expectLimit<W>(
      good, kMaxName,
      [](H& h, std::size_t n) {
        h.labels = {{text(n), ""}};
      },
      "label", kAgent);
  expectLimit<W>(
      good, kMaxMessage,
      [](H& h, std::size_t n) {
        h.labels = {{"a", text(n)}};
      },
      "label's value", kAgent);
}

TEST(WireLimits, ALeaseNeedsAStepAnEpochAndSixteenBytes) {
  using L = model::LeaseRef;
  auto bad = [](auto change) {
    L lease = fullLease();
    change(lease);
    return refused(overTheWire<schema::LeaseRef>(lease));
  };
  EXPECT_TRUE(bad([](L& l) { l.token.pop_back(); }));
  EXPECT_TRUE(bad([](L& l) { l.token += 'x'; }));
  EXPECT_TRUE(bad([](L& l) { l.token.clear(); }));
  EXPECT_TRUE(bad([](L& l) { l.step.value = 0; }));
  EXPECT_TRUE(bad([](L& l) { l.step.value = -1; }));
  EXPECT_TRUE(bad([](L& l) { l.epoch = 0; }));
  EXPECT_TRUE(bad([](L& l) { l.epoch = INT32_MIN; }));
}

TEST(WireLimits, AnAgentNeedsANameAndAMachine) {
  auto nameless = fullHello();
  nameless.name.clear();
  EXPECT_TRUE(refused(overTheWire<schema::AgentHello>(nameless, kAgent)));
  auto homeless = fullHello();
  homeless.host.machineKey.clear();
  EXPECT_TRUE(refused(overTheWire<schema::AgentHello>(homeless, kAgent)));
}

TEST(WireLimits, NumbersAreFinite) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (double value : {kInfinity, -kInfinity, kNan}) {
    for (auto verdict : model::allVerdicts()) {
      auto sample = fullSample();
      sample.value = value;
      sample.verdict = verdict;
      EXPECT_TRUE(refused(overTheWire<schema::Sample>(sample)));
    }
    auto hello = fullHello();
    hello.host.effectiveCpus = value;
    EXPECT_TRUE(refused(overTheWire<schema::AgentHello>(hello, kAgent)));
  }
  auto hello = fullHello();
  hello.host.effectiveCpus = -0.5;
  EXPECT_TRUE(refused(overTheWire<schema::AgentHello>(hello, kAgent)));
}

TEST(WireLimits, OkNeedsAValueAndNothingElseDoes) {
  for (auto verdict : model::allVerdicts()) {
    auto sample = fullSample();
    sample.value.reset();
    sample.verdict = verdict;
    EXPECT_EQ(overTheWire<schema::Sample>(sample).has_value(), verdict != model::Verdict::kOk)
        << model::toString(verdict);
  }
}

// 150 contexts of 60 KiB are 9,216,000 bytes, over the 8 MiB that one message may hold, although
// each of them is allowed.
TEST(WireLimits, AStoredMessageOverEightMebibytesIsRefused) {
  model::SampleChunk chunk;
  auto sample = fullSample();
  sample.contextJson = json(60 * 1024);
  chunk.samples.assign(130, sample);  // 7,987,200
  EXPECT_TRUE(decodeSampleChunk(encodeSampleChunk(chunk)));
  chunk.samples.assign(150, sample);
  EXPECT_TRUE(refused(decodeSampleChunk(encodeSampleChunk(chunk))));
}

}  // namespace
}  // namespace fleetmark::rpc
