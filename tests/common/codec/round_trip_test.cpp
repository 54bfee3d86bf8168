// What goes in comes out.
#include <gtest/gtest.h>

#include <cfloat>
#include <cmath>

#include "common/rpc/agent_codec.h"
#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using namespace fleetmark::tests;

TEST(RoundTrip, AChunkWithEveryVerdictAndAnAbsentValueComesBackTheSame) {
  auto back = decodeSampleChunk(encodeSampleChunk(fullChunk()));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(*back, fullChunk());
}

TEST(RoundTrip, AnEmptyChunkIsAChunk) {
  auto back = decodeSampleChunk(encodeSampleChunk({}));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, model::SampleChunk());
}

TEST(RoundTrip, ValuesKeepEveryBit) {
  for (double value : {0.0, -0.0, 5e-324, DBL_MIN, DBL_MAX, -DBL_MAX, 0.1, 33120.123456789012}) {
    model::Sample sample = fullSample();
    sample.value = value;
    auto back = overTheWire<schema::Sample>(sample);
    ASSERT_TRUE(back);
    EXPECT_EQ(std::signbit(*back->value), std::signbit(value));
    EXPECT_EQ(*back->value, value);
  }
}

TEST(RoundTrip, ACompletionKeepsItsNoticesForEachOutcome) {
  for (auto outcome : model::allOutcomes()) {
    auto completion = fullCompletion();
    completion.outcome = outcome;
    auto back = decodeCompletion(encodeCompletion(completion));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(*back, completion);
  }
}

TEST(RoundTrip, AnAssignmentKeepsEachField) {
  auto sent = fullAssignment();
  auto back = decodeAssignment(encodeAssignment(sent));
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->lease, sent.lease);
  EXPECT_EQ(back->attempt, sent.attempt);
  EXPECT_EQ(back->campaign, sent.campaign);
  EXPECT_EQ(back->campaignName, sent.campaignName);
  EXPECT_EQ(back->runner, sent.runner);
  EXPECT_EQ(back->stepName, sent.stepName);
  EXPECT_EQ(back->probe, sent.probe);
  EXPECT_EQ(back->protocol, sent.protocol);
  EXPECT_EQ(back->paramsJson, sent.paramsJson);
  EXPECT_EQ(back->placementJson, sent.placementJson);
  EXPECT_EQ(back->leaseTtl, sent.leaseTtl);
  EXPECT_EQ(back->timeLimit, sent.timeLimit);
  EXPECT_EQ(back->noProgressLimit, sent.noProgressLimit);
}

TEST(RoundTrip, AHelloKeepsEachFieldAndTakesItsIdFromTheCaller) {
  auto sent = fullHello();
  auto back = overTheWire<schema::AgentHello>(sent, kAgent);
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->agent, kAgent);
  EXPECT_EQ(back->name, sent.name);
  EXPECT_EQ(back->version, sent.version);
  EXPECT_EQ(back->labels, sent.labels);
  EXPECT_EQ(back->probes, sent.probes);
  EXPECT_EQ(back->host, sent.host);
  EXPECT_EQ(back->instanceNonce, sent.instanceNonce);
  EXPECT_EQ(back->wallClockNs, sent.wallClockNs);
  EXPECT_EQ(overTheWire<schema::AgentHello>(sent, base::AgentId())->agent, base::AgentId());
}

TEST(RoundTrip, ALeaseKeepsItsBinaryToken) {
  auto back = overTheWire<schema::LeaseRef>(fullLease());
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, fullLease());
}

TEST(RoundTrip, EachAnswerHasAWireFormOfItsOwn) {
  for (auto answer :
       {model::RenewAnswer::kRenewed, model::RenewAnswer::kLost, model::RenewAnswer::kCancel}) {
    auto back = fromWire(toWire(answer));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, answer);
  }
  for (auto answer :
       {model::IngestAnswer::kOk, model::IngestAnswer::kDuplicate, model::IngestAnswer::kFenced,
        model::IngestAnswer::kUnknown, model::IngestAnswer::kMissing}) {
    auto back = fromWire(toWire(answer));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, answer);
  }
}

TEST(RoundTrip, EachErrorCodeHasAWireFormOfItsOwn) {
  for (auto code :
       {base::ErrorCode::kInvalid, base::ErrorCode::kNotFound, base::ErrorCode::kConflict,
        base::ErrorCode::kDenied, base::ErrorCode::kUnavailable, base::ErrorCode::kOverloaded,
        base::ErrorCode::kUnsupported, base::ErrorCode::kInternal}) {
    base::Error sent{code, "quick.yaml:14:9: unknown key"};
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::Error>();
    toWire(sent, root);
    EXPECT_EQ(fromWire(root.asReader()), sent);
  }
}

}  // namespace
}  // namespace fleetmark::rpc
