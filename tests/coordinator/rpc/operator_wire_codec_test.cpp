#include "coordinator/rpc/operator_wire_codec.h"

#include <capnp/message.h>
#include <gtest/gtest.h>

#include <limits>

#include "common/rpc/wire_limits.h"

namespace fleetmark::coordinator::rpc {
namespace {

using fleetmark::rpc::kMaxLabels;
using fleetmark::rpc::kMaxMessage;
using fleetmark::rpc::kMaxName;
using fleetmark::rpc::kMaxYaml;

template <typename Schema, typename Model>
auto overTheWire(const Model& value) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<Schema>();
  toWire(value, root);
  return fromWire(root.asReader());
}

template <typename T>
bool refused(const base::Result<T>& result) {
  return !result.has_value() && result.error().code == base::ErrorCode::kInvalid;
}

std::string text(std::size_t size) { return std::string(size, 'x'); }

ports::CampaignSummary summary() {
  ports::CampaignSummary out;
  out.id = base::CampaignId{INT64_MAX};
  out.name = "november";
  out.state = domain::CampaignState::kCancelling;
  out.submittedAt = base::fromUnixNanos(1'796'054'400'000'000'001);
  out.finishedAt = base::fromUnixNanos(1'796'054'400'000'000'002);
  out.stepsTotal = 1;
  out.stepsMeasured = 2;
  out.stepsFailed = 3;
  out.stepsLost = 4;
  out.stepsCancelled = 5;
  out.stepsRunning = 6;
  out.samplesInvalid = 7;
  out.paused = true;
  out.estimate = std::chrono::hours(3);
  return out;
}

TEST(OperatorCodec, ASummaryKeepsEachFieldInEachState) {
  for (auto state : domain::allCampaignStates()) {
    auto sent = summary();
    sent.state = state;
    auto back = overTheWire<schema::CampaignSummary>(sent);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->id, sent.id);
    EXPECT_EQ(back->name, sent.name);
    EXPECT_EQ(back->state, state);
    EXPECT_EQ(back->submittedAt, sent.submittedAt);
    EXPECT_EQ(back->finishedAt, sent.finishedAt);
    EXPECT_EQ(back->stepsTotal, 1u);
    EXPECT_EQ(back->stepsMeasured, 2u);
    EXPECT_EQ(back->stepsFailed, 3u);
    EXPECT_EQ(back->stepsLost, 4u);
    EXPECT_EQ(back->stepsCancelled, 5u);
    EXPECT_EQ(back->stepsRunning, 6u);
    EXPECT_EQ(back->samplesInvalid, 7u);
    EXPECT_TRUE(back->paused);
    EXPECT_EQ(back->estimate, sent.estimate);
  }
  auto unfinished = summary();
  unfinished.finishedAt.reset();
  EXPECT_FALSE(overTheWire<schema::CampaignSummary>(unfinished)->finishedAt);
}

ports::StepStatus step() {
  ports::StepStatus out;
  out.step = base::StepId{1};
  out.job = base::JobId{2};
  out.runner = "local-a";
  out.probe = "cpu";
  out.fingerprint = "60215c3cdb9f";
  out.trial = 3;
  out.stepName = "measure";
  out.agent = "local-a";
  out.attempts = 4;
  out.samplesOk = 5;
  out.samplesSeen = 6;
  out.samplesRequested = 7;
  out.progress = "sample 2";
  out.message = "why";
  out.headlineMetric = "cpu_rate";
  out.headlineValue = 33120.5;
  out.headlineCv = 0.0;
  out.startedAt = base::fromUnixNanos(8);
  out.endedAt = base::fromUnixNanos(9);
  out.waiting = "machine busy";
  out.estimate = std::chrono::seconds(10);
  return out;
}

TEST(OperatorCodec, AStepKeepsEachFieldInEachState) {
  for (auto state : domain::allStepStates()) {
    auto sent = step();
    sent.state = state;
    auto back = overTheWire<schema::StepStatus>(sent);
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_EQ(back->step, sent.step);
    EXPECT_EQ(back->job, sent.job);
    EXPECT_EQ(back->runner, sent.runner);
    EXPECT_EQ(back->probe, sent.probe);
    EXPECT_EQ(back->fingerprint, sent.fingerprint);
    EXPECT_EQ(back->trial, 3u);
    EXPECT_EQ(back->stepName, sent.stepName);
    EXPECT_EQ(back->state, state);
    EXPECT_EQ(back->agent, sent.agent);
    EXPECT_EQ(back->attempts, 4u);
    EXPECT_EQ(back->samplesOk, 5u);
    EXPECT_EQ(back->samplesSeen, 6u);
    EXPECT_EQ(back->samplesRequested, 7u);
    EXPECT_EQ(back->progress, sent.progress);
    EXPECT_EQ(back->message, sent.message);
    EXPECT_EQ(back->headlineMetric, sent.headlineMetric);
    EXPECT_EQ(back->headlineValue, sent.headlineValue);
    EXPECT_EQ(back->headlineCv, sent.headlineCv);  // zero is a figure, not an absence
    EXPECT_EQ(back->startedAt, sent.startedAt);
    EXPECT_EQ(back->endedAt, sent.endedAt);
    EXPECT_EQ(back->waiting, sent.waiting);
    EXPECT_EQ(back->estimate, sent.estimate);
  }
}

TEST(OperatorCodec, AbsentFiguresStayAbsent) {
  auto sent = step();
  sent.headlineCv.reset();
  EXPECT_FALSE(overTheWire<schema::StepStatus>(sent)->headlineCv);
  sent.headlineValue.reset();
  sent.startedAt.reset();
  auto back = overTheWire<schema::StepStatus>(sent);
  EXPECT_FALSE(back->headlineValue);
  EXPECT_FALSE(back->startedAt);
}

TEST(OperatorCodec, FiguresThatAreNotFiniteAreRefused) {
  for (double value :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    auto sent = step();
    sent.headlineValue = value;
    EXPECT_TRUE(refused(overTheWire<schema::StepStatus>(sent)));
    sent = step();
    sent.headlineCv = value;
    EXPECT_TRUE(refused(overTheWire<schema::StepStatus>(sent)));
  }
}

TEST(OperatorCodec, UnknownStatesAreRefusedByName) {
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::StepStatus>();
  toWire(step(), root);
  root.setState("paused");
  auto back = fromWire(root.asReader());
  ASSERT_TRUE(refused(back));
  EXPECT_EQ(back.error().message, "the step state 'paused' is unknown to this version");
  capnp::MallocMessageBuilder other;
  auto campaign = other.initRoot<schema::CampaignSummary>();
  toWire(summary(), campaign);
  campaign.setState("");
  EXPECT_TRUE(refused(fromWire(campaign.asReader())));
}

TEST(OperatorCodec, LimitsHoldExactly) {
  auto named = step();
  named.runner = text(kMaxName);
  EXPECT_TRUE(overTheWire<schema::StepStatus>(named));
  named.runner += 'x';
  EXPECT_TRUE(refused(overTheWire<schema::StepStatus>(named)));
  auto waiting = step();
  waiting.waiting = text(kMaxMessage + 1);
  EXPECT_TRUE(refused(overTheWire<schema::StepStatus>(waiting)));

  using Request = schema::OperatorGateway::SubmitRequest;
  ports::SubmitOptions submit;
  submit.yaml = text(kMaxYaml);
  EXPECT_TRUE(overTheWire<Request>(submit));
  submit.yaml += 'x';
  EXPECT_TRUE(refused(overTheWire<Request>(submit)));
  submit.yaml = std::string("a\0b", 3);
  EXPECT_TRUE(refused(overTheWire<Request>(submit)));
  submit.yaml = "campaign: \xff";
  EXPECT_TRUE(refused(overTheWire<Request>(submit)));
  submit.yaml.clear();
  for (std::size_t i = 0; i < kMaxLabels; ++i) submit.variables["v" + std::to_string(i)] = "1";
  EXPECT_TRUE(overTheWire<Request>(submit));
  submit.variables["more"] = "1";
  EXPECT_TRUE(refused(overTheWire<Request>(submit)));
}

TEST(OperatorCodec, ASubmissionKeepsEachField) {
  ports::SubmitOptions sent{"campaign: q\n", "q.yaml", {{"region", "eu"}}, true, "key-1"};
  auto back = overTheWire<schema::OperatorGateway::SubmitRequest>(sent);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->yaml, sent.yaml);
  EXPECT_EQ(back->fileName, sent.fileName);
  EXPECT_EQ(back->variables, sent.variables);
  EXPECT_EQ(back->wait, sent.wait);
  EXPECT_EQ(back->requestKey, sent.requestKey);
}

TEST(OperatorCodec, AnEventKeepsEachFieldAndItsDataIsAnObject) {
  ports::CampaignEvent sent{"5:9", base::fromUnixNanos(1), "step.ended", base::StepId{4},
                            R"({"outcome":"measured"})"};
  auto back = overTheWire<schema::CampaignEvent>(sent);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->cursor, sent.cursor);
  EXPECT_EQ(back->at, sent.at);
  EXPECT_EQ(back->kind, sent.kind);
  EXPECT_EQ(back->step, sent.step);
  EXPECT_EQ(back->dataJson, sent.dataJson);
  sent.dataJson = "[1]";
  EXPECT_TRUE(refused(overTheWire<schema::CampaignEvent>(sent)));
}

TEST(OperatorCodec, AnAgentKeepsEachFieldAndNeedsAUuid) {
  ports::AgentView sent;
  sent.id = *base::Uuid::parse("0f8fad5b-d9cb-469f-a165-70867728950e");
  sent.name = "local-a";
  sent.state = "busy";
  sent.labels = {{"os", "linux"}};
  sent.probes = {"cpu/1", "disk/1"};
  sent.lastSeen = base::fromUnixNanos(77);
  sent.doing = "quick / local-a / disk";
  sent.version = "0.1.0";
  sent.cpuModel = "EPYC";
  sent.clockOffset = base::Nanos(-5);
  sent.reason = "quarantined: no disk";
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::AgentStatus>();
  toWire(sent, root);
  auto back = fromWire(root.asReader());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->id, sent.id);
  EXPECT_EQ(back->name, sent.name);
  EXPECT_EQ(back->state, sent.state);
  EXPECT_EQ(back->labels, sent.labels);
  EXPECT_EQ(back->probes, sent.probes);
  EXPECT_EQ(back->lastSeen, sent.lastSeen);
  EXPECT_EQ(back->doing, sent.doing);
  EXPECT_EQ(back->version, sent.version);
  EXPECT_EQ(back->cpuModel, sent.cpuModel);
  EXPECT_EQ(back->clockOffset, sent.clockOffset);
  EXPECT_EQ(back->reason, sent.reason);
  root.setAgentId("no-uuid");
  EXPECT_TRUE(refused(fromWire(root.asReader())));
}

TEST(OperatorCodec, ReasonsKeepEachFieldAndAnAbsentEstimate) {
  ports::JobReasons sent;
  sent.job = base::JobId{1};
  sent.campaign = base::CampaignId{2};
  sent.campaignName = "november";
  sent.runner = "local-a";
  sent.probe = "disk";
  sent.trial = 3;
  sent.state = domain::JobState::kRunning;
  sent.steps = {{base::StepId{4},
                 "save",
                 domain::StepState::kReady,
                 {{"gap", false, "gap ends in 5s"}, {"labels", true, "local-a matches"}},
                 std::chrono::seconds(5)},
                {base::StepId{5}, "restore", domain::StepState::kBlocked, {}, std::nullopt}};
  capnp::MallocMessageBuilder message;
  auto root = message.initRoot<schema::OperatorGateway::WhyResult>().initOk();
  toWire(sent, root);
  auto back = fromWire(root.asReader());
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->job, sent.job);
  EXPECT_EQ(back->campaign, sent.campaign);
  EXPECT_EQ(back->campaignName, sent.campaignName);
  EXPECT_EQ(back->runner, sent.runner);
  EXPECT_EQ(back->probe, sent.probe);
  EXPECT_EQ(back->trial, 3u);
  EXPECT_EQ(back->state, sent.state);
  ASSERT_EQ(back->steps.size(), 2u);
  EXPECT_EQ(back->steps[0].step, base::StepId{4});
  EXPECT_EQ(back->steps[0].stepName, "save");
  EXPECT_EQ(back->steps[0].state, domain::StepState::kReady);
  ASSERT_EQ(back->steps[0].constraints.size(), 2u);
  EXPECT_EQ(back->steps[0].constraints[0].kind, "gap");
  EXPECT_FALSE(back->steps[0].constraints[0].holds);
  EXPECT_EQ(back->steps[0].constraints[0].text, "gap ends in 5s");
  EXPECT_TRUE(back->steps[0].constraints[1].holds);
  EXPECT_EQ(back->steps[0].estimate, std::chrono::seconds(5));
  EXPECT_FALSE(back->steps[1].estimate);
  root.setState("sleeping");
  EXPECT_TRUE(refused(fromWire(root.asReader())));
}

TEST(OperatorCodec, ATableKeepsNullAndEmptyApart) {
  ports::Table sent{{"a", "b"}, {{"1", std::nullopt}, {"", "x"}, {}}, true};
  auto back = overTheWire<schema::Table>(sent);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->columns, sent.columns);
  EXPECT_EQ(back->rows, sent.rows);
  EXPECT_TRUE(back->truncated);
}

TEST(OperatorCodec, FormatsAndRolesHaveAWireFormOfTheirOwn) {
  for (auto format : ports::allReportFormats()) {
    EXPECT_EQ(*fromWire(toWire(format)), format);
  }
  for (auto role : {ports::Role::kAgent, ports::Role::kOperator}) {
    EXPECT_EQ(*fromWire(toWire(role)), role);
  }
  for (auto wish :
       {ports::AgentWish::kDrain, ports::AgentWish::kUndrain, ports::AgentWish::kRelease}) {
    EXPECT_EQ(*fromWire(toWire(wish)), wish);
  }
  for (int word : {0, 5, 65535}) {
    auto wish = fromWire(static_cast<schema::OperatorGateway::AgentWish>(word));
    ASSERT_FALSE(wish);
    EXPECT_EQ(wish.error().code, base::ErrorCode::kUnsupported);
    auto format = fromWire(static_cast<schema::OperatorGateway::ReportFormat>(word));
    ASSERT_FALSE(format);
    EXPECT_EQ(format.error().code, base::ErrorCode::kUnsupported);
  }
  for (int word : {0, 3, 65535}) {
    EXPECT_TRUE(refused(fromWire(static_cast<schema::OperatorGateway::Role>(word))));
  }
}

}  // namespace
}  // namespace fleetmark::coordinator::rpc
