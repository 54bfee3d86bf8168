// A newer peer says what this version doesn't know: refused, never taken for something else.
#include <capnp/any.h>
#include <capnp/schema.h>
#include <gtest/gtest.h>

#include <cstring>

#include "common/rpc/message_bytes_codec.h"
#include "common/rpc/probe_pipe.h"
#include "schema/probe.capnp.h"
#include "tests/common/codec/values.h"

namespace fleetmark::rpc {
namespace {

using namespace fleetmark::tests;

// Writes a discriminant that no member of the union `Union` has into `root`.
template <typename Union, typename Root>
void setUnknownMember(capnp::MessageBuilder& message, Root) {
  auto offset = 2 * capnp::Schema::from<Union>().getProto().getStruct().getDiscriminantOffset();
  auto data = message.getRoot<capnp::AnyStruct>().getDataSection();
  ASSERT_LE(offset + 2, data.size());
  data[offset] = 77;
  data[offset + 1] = 0;
}

TEST(UnknownWords, AVerdictIsRefused) {
  for (int word : {0, 7, 65535}) {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::Sample>();
    toWire(fullSample(), root);
    root.setVerdict(static_cast<schema::Verdict>(word));
    EXPECT_TRUE(refused(fromWire(root.asReader()))) << word;
  }
}

TEST(UnknownWords, AKindOfValueIsRefused) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::Sample>();
  toWire(fullSample(), root);
  setUnknownMember<schema::Sample::Value>(message, root);
  EXPECT_TRUE(refused(fromWire(root.asReader())));
}

TEST(UnknownWords, AnOutcomeIsRefused) {
  for (int word : {0, 5, 65535}) {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::Completion>();
    toWire(fullCompletion(), root);
    root.setOutcome(static_cast<schema::Outcome>(word));
    EXPECT_TRUE(refused(fromWire(root.asReader()))) << word;
  }
}

TEST(UnknownWords, AnswersAreRefused) {
  for (int word : {0, 4, 65535}) {
    EXPECT_TRUE(refused(fromWire(static_cast<schema::RenewAnswer>(word)))) << word;
  }
  for (int word : {0, 6, 65535}) {
    EXPECT_TRUE(refused(fromWire(static_cast<schema::IngestAnswer>(word)))) << word;
  }
}

TEST(UnknownWords, AnErrorCodeIsInternalAndKeepsItsMessage) {
  for (int word : {0, 9, 65535}) {
    capnp::MallocMessageBuilder message;
    auto root = message.initRoot<schema::Error>();
    root.setCode(static_cast<schema::ErrorCode>(word));
    root.setMessage("out of tokens");
    EXPECT_EQ(fromWire(root.asReader()), base::internal("out of tokens"));
  }
}

TEST(UnknownWords, AnErrorWithoutReadableMessageIsStillAnError) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::Error>();
  root.setCode(schema::ErrorCode::DENIED);
  root.setMessage("\xff");
  EXPECT_EQ(fromWire(root.asReader()), base::denied("an error message is not UTF-8 text"));
}

TEST(UnknownWords, AnEventOfTheProbeIsRefused) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::ProbeEvent>();
  root.setDone();
  setUnknownMember<schema::ProbeEvent>(message, root);
  ProbePipeReader reader;
  ASSERT_TRUE(reader.feed(flatten(message)));
  EXPECT_TRUE(refused(reader.next()));

  capnp::MallocMessageBuilder none;
  none.initRoot<schema::ProbeEvent>();  // 'unknown' itself
  ProbePipeReader second;
  ASSERT_TRUE(second.feed(flatten(none)));
  EXPECT_TRUE(refused(second.next()));
}

TEST(UnknownWords, ALabelGivenTwiceIsRefused) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::AgentHello>();
  toWire(fullHello(), root);
  auto labels = root.initLabels(2);
  labels[0].setKey("region");
  labels[0].setValue("eu");
  labels[1].setKey("region");
  labels[1].setValue("us");
  EXPECT_TRUE(refused(fromWire(root.asReader(), kAgent)));
}

}  // namespace
}  // namespace fleetmark::rpc
