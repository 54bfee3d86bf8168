#include "coordinator/cli/output.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "coordinator/cli/commands.h"

namespace fleetmark::coordinator::cli {
namespace {

using Json = nlohmann::json;

TEST(TextTable, ColumnsStandUnderEachOtherInUtf8) {
  EXPECT_EQ(textTable({"NAME", "N"}, {{"größe", "1"}, {"x", "22"}}),
            "NAME   N\n"
            "größe  1\n"
            "x      22\n");
}

TEST(TextTable, ControlCharactersCantReachTheTerminal) {
  EXPECT_EQ(textTable({"A", "B"}, {{"\x1b[31mred\n", "x\x7f"}}), "A          B\n?[31mred?  x?\n");
  // U+009B is the one-character form of ESC [.
  EXPECT_EQ(textTable({"A", "B"}, {{"\xc2\x9b"
                                    "2J",
                                    "\xc2\xa0"}}),
            "A    B\n?2J  \xc2\xa0\n");
  EXPECT_EQ(textTable({"A"}, {{"\xc2"}}), "A\n\xc2\n");
}

TEST(TextTable, RowsOfOtherLengthsAndTrailingBlanksDoNoHarm) {
  EXPECT_EQ(textTable({"A", "B"}, {{"1"}, {"1", "2", "3"}, {"1", ""}, {}}), "A  B\n1\n1  2\n1\n\n");
  EXPECT_EQ(textTable({}, {}), "\n");
}

TEST(Counted, OneIsSingular) {
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(2, "step"), "2 steps");
}

TEST(Assignments, AreNameAndValueOnce) {
  auto good = parseAssignments({"region=eu", "file=", "expr=a=b"});
  ASSERT_TRUE(good);
  EXPECT_EQ(*good,
            (std::map<std::string, std::string>{{"region", "eu"}, {"file", ""}, {"expr", "a=b"}}));
  for (const auto& bad : {std::vector<std::string>{"region"}, {"=eu"}, {""}, {"a=1", "a=1"}}) {
    auto result = parseAssignments(bad);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, base::ErrorCode::kInvalid);
  }
}

// docs/command.md, "Exit codes".
TEST(ExitCodes, OfErrors) {
  using base::ErrorCode;
  for (auto code : {ErrorCode::kInvalid, ErrorCode::kNotFound, ErrorCode::kConflict,
                    ErrorCode::kDenied, ErrorCode::kUnsupported}) {
    EXPECT_EQ(static_cast<int>(exitCodeOf(base::Error{code, ""})), 2);
  }
  for (auto code : {ErrorCode::kUnavailable, ErrorCode::kOverloaded, ErrorCode::kInternal}) {
    EXPECT_EQ(static_cast<int>(exitCodeOf(base::Error{code, ""})), 3);
  }
}

TEST(ExitCodes, OfCampaigns) {
  auto code = [](auto change) {
    ports::CampaignSummary summary;
    summary.state = domain::CampaignState::kDone;
    summary.stepsTotal = summary.stepsMeasured = 4;
    change(summary);
    return static_cast<int>(exitCodeOf(summary));
  };
  using S = ports::CampaignSummary;
  EXPECT_EQ(code([](S&) {}), 0);
  EXPECT_EQ(code([](S& s) { s.samplesInvalid = 1; }), 1);
  EXPECT_EQ(code([](S& s) { s.stepsFailed = 1; }), 1);
  EXPECT_EQ(code([](S& s) { s.stepsCancelled = 1; }), 1);
  EXPECT_EQ(code([](S& s) { s.stepsLost = 1; }), 3);
  EXPECT_EQ(code([](S& s) { s.state = domain::CampaignState::kCancelled; }), 130);
}

model::Plan quickPlan() {
  FileArguments arguments;
  arguments.file = std::string(std::getenv("FLEETMARK_SOURCE")) + "/deploy/examples/quick.yaml";
  auto plan = loadPlan(arguments);
  FM_CHECK(plan.has_value());
  return *plan;
}

// The fingerprints were made with
//   printf '{"params":{"duration_ns":3000000000,"samples":3},"probe":"cpu","protocol":1}' |
//   sha256sum printf '{"params":{"file_bytes":134217728,"min_duration_ns":1000000000,
//     "sample_timeout_ns":30000000000,"samples":3},"probe":"disk","protocol":1}' | sha256sum
// the second one without its line break and blanks.
constexpr const char* kCpu = "60215c3cdb9f";
constexpr const char* kDisk = "ee82a7e2be60";

TEST(PlanOutput, TextShowsMatrixProfilesAndSteps) {
  std::string text = planText(quickPlan());
  for (const std::string part :
       {"campaign  quick\n", "matrix    2 runners x 2 probes, 4 jobs, 4 steps\n",
        "order     interleave, seed chosen at submit\n", "samples 3, duration 3s\n",
        "path /var/tmp, file 128 MiB, samples 3, min_duration 1s, sample_timeout 30s\n", kCpu,
        kDisk}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(PlanOutput, OneOfEachIsSingular) {
  auto plan = quickPlan();
  plan.spec.runners.resize(1);
  plan.spec.probes.resize(1);
  plan.jobs.resize(1);
  EXPECT_NE(planText(plan).find("matrix    1 runner x 1 probe, 1 job, 1 step\n"),
            std::string::npos);
}

TEST(PlanOutput, JsonHasTheSame) {
  auto json = Json::parse(planJson(quickPlan()));
  EXPECT_EQ(json["campaign"], "quick");
  EXPECT_EQ(json["seed"], nullptr);
  ASSERT_EQ(json["profiles"].size(), 2u);
  EXPECT_EQ(json["profiles"][0]["fingerprint"], kCpu);
  EXPECT_EQ(json["profiles"][1]["fingerprint"], kDisk);
  EXPECT_EQ(json["profiles"][1]["params"]["file_bytes"], 134'217'728);
  EXPECT_EQ(json["profiles"][1]["placement"]["path"], "/var/tmp");
  ASSERT_EQ(json["jobs"].size(), 4u);
  EXPECT_EQ(json["jobs"][0]["match"]["agent"], "local-a");
  EXPECT_EQ(json["jobs"][0]["steps"][0]["name"], "measure");
}

TEST(PlanOutput, AGlanceAtAProfile) {
  auto plan = quickPlan();
  EXPECT_EQ(paramsAtAGlance(plan.spec.probes[0]), "3 samples x 3s");
  EXPECT_EQ(paramsAtAGlance(plan.spec.probes[1]), "128 MiB, 3 samples");
  model::ProbeUse other;
  other.paramsJson = "damaged";
  EXPECT_EQ(paramsAtAGlance(other), "");
  other.paramsJson = R"({"samples":1})";
  EXPECT_EQ(paramsAtAGlance(other), "1 sample");
}

// RFC 4180, and PostgreSQL's COPY for null (nothing) and the empty text ("").
TEST(AgentOutput, TheReasonStandsBelowTheTableAndInTheJson) {
  ports::AgentView good;
  good.name = "local-a";
  good.state = "online";
  ports::AgentView bad = good;
  bad.name = "local-b";
  bad.state = "quarantined";
  bad.reason = "quarantined: no\x1b disk";
  EXPECT_EQ(agentsText({good}, base::WallTime{}).find('\n' + good.name + ":"), std::string::npos);
  EXPECT_NE(agentsText({good, bad}, base::WallTime{}).find("\n\nlocal-b: quarantined: no? disk\n"),
            std::string::npos);
  auto json = nlohmann::json::parse(agentsJson({good, bad}));
  EXPECT_TRUE(json[0]["reason"].is_null());
  EXPECT_EQ(json[1]["reason"], bad.reason);
  EXPECT_EQ(nlohmann::json::parse(agentJson(bad))["state"], "quarantined");
}

TEST(CampaignOutput, PausedStandsBesideTheState) {
  ports::CampaignSummary campaign;
  campaign.state = domain::CampaignState::kRunning;
  EXPECT_EQ(stateText(campaign), "running");
  EXPECT_EQ(nlohmann::json::parse(summariesJson({campaign}))[0]["paused"], false);
  campaign.paused = true;
  EXPECT_EQ(stateText(campaign), "running, paused");
  EXPECT_NE(summariesText({campaign}).find("running, paused"), std::string::npos);
  auto json = nlohmann::json::parse(summariesJson({campaign}))[0];
  EXPECT_EQ(json["paused"], true);
  EXPECT_EQ(json["state"], "running");
}

TEST(WhyOutput, ALineForEachThingAndTheEstimateInTheHead) {
  ports::JobReasons job;
  job.job = base::JobId{7};
  job.campaign = base::CampaignId{3};
  job.campaignName = "quick";
  job.runner = "linux";
  job.probe = "disk";
  job.steps = {{base::StepId{12},
                "save",
                domain::StepState::kReady,
                {{"paused", true, "not paused"}, {"machine_busy", false, "machine busy: x"}},
                std::chrono::milliseconds(39'001)},
               {base::StepId{13}, "restore", domain::StepState::kLeased, {}, std::nullopt}};
  EXPECT_EQ(whyText(job),
            "job 7  disk for linux, trial 1 of campaign 3 quick  pending\n"
            "step 12  save  ready: may start in about 40s\n"
            "  ok     paused        not paused\n"
            "  WAITS  machine_busy  machine busy: x\n"
            "step 13  restore  leased\n");
  auto json = nlohmann::json::parse(whyJson(job));
  EXPECT_EQ(json["steps"][0]["constraints"][1]["kind"], "machine_busy");
  EXPECT_EQ(json["steps"][0]["constraints"][1]["holds"], false);
  EXPECT_EQ(json["steps"][0]["estimate_ns"], 39'001'000'000);
  EXPECT_TRUE(json["steps"][1]["estimate_ns"].is_null());
}

TEST(TableOutput, CsvQuotesWhatNeedsIt) {
  ports::Table table;
  table.columns = {"a", "b,c"};
  table.rows = {{"plain", "say \"hi\""}, {std::nullopt, ""}, {"two\nlines", "cr\r"}, {" x ", "ü"}};
  EXPECT_EQ(tableCsv(table),
            "a,\"b,c\"\r\n"
            "plain,\"say \"\"hi\"\"\"\r\n"
            ",\"\"\r\n"
            "\"two\nlines\",\"cr\r\"\r\n"
            " x ,ü\r\n");
}

TEST(TableOutput, JsonKeepsNullAndEmptyApart) {
  ports::Table table{{"a", "b"}, {{std::nullopt, ""}}, true};
  auto json = Json::parse(tableJson(table));
  EXPECT_EQ(json["rows"], (Json{{nullptr, ""}}));
  EXPECT_EQ(json["truncated"], true);
  EXPECT_EQ(tableText(table), "a       b\n(null)\n");
}

TEST(ErrorOutput, JsonHasCodeAndMessageWhateverTheBytes) {
  auto json = Json::parse(errorJson(base::notFound("no \"quick\"\n\xff")));
  EXPECT_EQ(json["error"]["code"], "not_found");
  EXPECT_EQ(json["error"]["message"], "no \"quick\"\n\xef\xbf\xbd");
}

TEST(RunOutput, JsonHoldsForAnyFolder) {
  auto json = Json::parse(runJson("12", 1, {"a \"b\"\\/report.md"}));
  EXPECT_EQ(json["campaign_id"], 12);
  EXPECT_EQ(json["exit_code"], 1);
  EXPECT_EQ(json["files"][0], "a \"b\"\\/report.md");
}

}  // namespace
}  // namespace fleetmark::coordinator::cli
