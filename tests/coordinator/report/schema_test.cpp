// result.json against docs/result.schema.json, judged by Python's jsonschema.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "coordinator/domain/states.h"
#include "coordinator/report/json.h"
#include "tests/coordinator/report/report_data.h"

namespace fleetmark::coordinator::report {
namespace {

const std::string kSource = FLEETMARK_TEST_SOURCE;
const std::string kPython = "/usr/bin/python3";

nlohmann::json schema() {
  std::ifstream in(kSource + "/docs/result.schema.json");
  return nlohmann::json::parse(in);
}

bool validatorInstalled() {
  return std::system((kPython + " -c 'import jsonschema' >/dev/null 2>&1").c_str()) == 0;
}

enum class Wanted { kAccepted, kRefused };
using Judgements = std::vector<std::pair<Wanted, nlohmann::json>>;

// One run of the validator for all: starting it costs more than what it does. It names what came
// out otherwise than wanted and then exits with 1.
void expectJudged(const Judgements& judgements) {
  std::string command = kPython + " '" + kSource + "/tests/coordinator/report/validate.py' '" +
                        kSource + "/docs/result.schema.json'";
  FILE* pipe = ::popen(command.c_str(), "w");
  ASSERT_NE(pipe, nullptr);
  for (const auto& [wanted, document] : judgements) {
    std::string line = (wanted == Wanted::kAccepted ? "+" : "-") + document.dump() + "\n";
    std::fwrite(line.data(), 1, line.size(), pipe);
  }
  int status = ::pclose(pipe);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0) << "see the validator's lines above";
}

nlohmann::json documentOf(const ports::ReportData& data) {
  return nlohmann::json::parse(renderJson(buildReportModel(data)));
}

#define SKIP_WITHOUT_VALIDATOR()                                                  \
  if (!validatorInstalled()) {                                                    \
    GTEST_SKIP() << kPython << " has no jsonschema (Debian: python3-jsonschema)"; \
  }

TEST(ResultSchema, AcceptsEveryKindOfReport) {
  SKIP_WITHOUT_VALIDATOR();
  auto odd = testing::cpuStep("\xFF|<b>", {});
  odd.environmentBeforeJson = "garbage";
  odd.state = domain::StepState::kCancelled;
  auto waiting = testing::selftestStep("", {});
  waiting.state = domain::StepState::kReady;
  waiting.agent.clear();
  auto running = testing::campaignOf({odd, waiting});
  running.campaign.state = domain::CampaignState::kRunning;
  running.campaign.finishedAt.reset();
  expectJudged({{Wanted::kAccepted, documentOf(testing::typicalCampaign())},
                {Wanted::kAccepted, documentOf(testing::campaignOf({}))},
                {Wanted::kAccepted, documentOf(running)}});
}

TEST(ResultSchema, RefusesATamperedDocument) {
  SKIP_WITHOUT_VALIDATOR();
  const nlohmann::json good = documentOf(testing::typicalCampaign());
  auto metric = "/results/0/metrics/0"_json_pointer;
  auto sample = metric / "samples" / 0;
  auto lost = "/results/2/metrics/0"_json_pointer;
  ASSERT_EQ(good[lost / "completed"], 0);
  const std::pair<nlohmann::json::json_pointer, nlohmann::json> changes[] = {
      {"/schema"_json_pointer, "fleetmark.bench-result/v2"},
      {"/extra"_json_pointer, 1},
      {"/campaign/seed"_json_pointer, 5},
      {"/campaign/submitted_at"_json_pointer, "2026-11-30 16:09"},
      {"/results/0/status"_json_pointer, "ok"},
      {"/results/0/fingerprint"_json_pointer, "3F9A1C0B77D2"},
      {metric / "median", nullptr},
      {metric / "completed", -1},
      {lost / "median", 0},
      {sample / "verdict", "fine"},
      {sample / "value", nullptr},
      {sample / "value", "33100"},
  };
  Judgements judgements{{Wanted::kAccepted, good}, {Wanted::kRefused, nlohmann::json::array()}};
  for (const auto& [where, what] : changes) {
    nlohmann::json bad = good;
    bad[where] = what;
    judgements.emplace_back(Wanted::kRefused, bad);
  }
  nlohmann::json missing = good;
  missing["results"][0].erase("status");
  judgements.emplace_back(Wanted::kRefused, missing);
  expectJudged(judgements);
}

std::set<std::string> listed(const nlohmann::json& values) {
  return values.get<std::set<std::string>>();
}

template <typename E>
std::set<std::string> words(const std::vector<E>& all) {
  std::set<std::string> out;
  for (E value : all) out.emplace(toString(value));
  return out;
}

TEST(ResultSchema, ListsExactlyTheWordsOfTheProgram) {
  auto defs = schema()["$defs"];
  EXPECT_EQ(listed(defs["status"]["enum"]), words(allRowStatuses()));
  EXPECT_EQ(listed(defs["verdict"]["enum"]), words(model::allVerdicts()));
  auto metric = defs["metric"]["properties"];
  EXPECT_EQ(listed(metric["unit"]["enum"]), words(model::allUnits()));
  EXPECT_EQ(listed(metric["better"]["enum"]), words(model::allBetter()));
  auto campaign = defs["campaign"]["properties"];
  EXPECT_EQ(listed(campaign["state"]["enum"]), words(domain::allCampaignStates()));
  std::set<std::string> orders;
  for (const auto& word : campaign["order"]["enum"]) {
    EXPECT_TRUE(model::parseOrder(word.get<std::string>())) << word;
    orders.insert(word.get<std::string>());
  }
  EXPECT_EQ(orders.size(), 4u);
}

}  // namespace
}  // namespace fleetmark::coordinator::report
