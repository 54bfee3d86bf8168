#include "coordinator/loader/campaign_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordinator/domain/planner.h"
#include "tests/coordinator/loader/load.h"

namespace fleetmark::coordinator::loader {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;

TEST(CampaignLoader, ReadsEveryKey) {
  auto spec = load(repositoryFile("tests/data/campaigns/full.yaml"));
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "ci-runners-november");
  EXPECT_EQ(spec->description, "Linux runners of two providers");
  ASSERT_EQ(spec->runners.size(), 2u);
  EXPECT_EQ(spec->runners[0].name, "ubicloud-linux-x64");
  EXPECT_EQ(spec->runners[0].provider, "static");
  EXPECT_EQ(spec->runners[0].match, (model::Labels{{"os", "linux"}, {"arch", "x64"}}));
  EXPECT_EQ(spec->runners[0].labels,
            (model::Labels{{"region", "eu-central"}, {"usd_per_minute", "0.0008"}}));
  EXPECT_EQ(spec->runners[1].name, "lab-mac");
  EXPECT_EQ(spec->order, model::Order::kAbba);
  EXPECT_EQ(spec->seed, 20261115u);
  EXPECT_TRUE(spec->seedGiven);
  EXPECT_FALSE(spec->quiet);
  EXPECT_EQ(spec->jobLimit, minutes(30));
  EXPECT_EQ(spec->noProgressLimit, seconds(60));
  EXPECT_EQ(spec->title, "Linux runners, November");
  EXPECT_THAT(spec->publish, ElementsAre("markdown", "csv"));
  ASSERT_EQ(spec->probes.size(), 4u);
  EXPECT_EQ(spec->probes[0].paramsJson, R"({"duration_ns":10000000000,"samples":7})");
  EXPECT_EQ(spec->probes[0].placementJson, "{}");
  EXPECT_TRUE(spec->probes[0].on.empty());
  EXPECT_EQ(spec->probes[1].paramsJson, R"({"file_bytes":268435456,"min_duration_ns":1500000000,)"
                                        R"("sample_timeout_ns":45000000000,"samples":5})");
  EXPECT_EQ(spec->probes[1].placementJson, R"({"path":"/mnt/side"})");
  EXPECT_THAT(spec->probes[1].on, ElementsAre("lab-mac"));
  EXPECT_THAT(spec->probes[2].on, ElementsAre("ubicloud-linux-x64", "lab-mac"));
  EXPECT_EQ(spec->probes[3].profile.probe, "cpu");
}

TEST(CampaignLoader, FillsDefaultsIn) {
  auto spec = load("campaign: c\nrunners: [{name: a}]\nprobes: [cpu]\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->order, model::Order::kInterleave);
  EXPECT_EQ(spec->seed, 7u);
  EXPECT_FALSE(spec->seedGiven);
  EXPECT_FALSE(spec->quiet);
  EXPECT_EQ(spec->jobLimit, seconds(0));
  EXPECT_EQ(spec->noProgressLimit, seconds(0));
  EXPECT_TRUE(spec->publish.empty());
  EXPECT_EQ(spec->probes[0].requestedSamples, 5u);
}

TEST(CampaignLoader, PinsTheFingerprintsOfTheDefaults) {
  // printf %s TEXT | sha256sum | cut -c1-12
  auto spec = load("campaign: c\nrunners: [{name: a}]\nprobes: [cpu, disk]\n");
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->probes[0].profile.canonicalJson,
            R"({"params":{"duration_ns":30000000000,"samples":5},"probe":"cpu","protocol":1})");
  EXPECT_EQ(spec->probes[0].profile.fingerprint, "c113162ea73e");
  EXPECT_EQ(spec->probes[1].profile.canonicalJson,
            R"({"params":{"file_bytes":1073741824,"min_duration_ns":5000000000,)"
            R"("sample_timeout_ns":60000000000,"samples":5},"probe":"disk","protocol":1})");
  EXPECT_EQ(spec->probes[1].profile.fingerprint, "2883bcbb28e8");
}

TEST(CampaignLoader, SpellingAndPlacementDoNotChangeAFingerprint) {
  auto spec = load(
      "campaign: c\nrunners: [{name: a}]\nprobes:\n"
      "  - disk: {file: 1GiB, path: /mnt/a}\n"
      "  - disk: {samples: 5, file: 1024MiB, min_duration: 5000ms}\n"
      "  - disk: {file: 1025MiB}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->probes[0].profile, spec->probes[1].profile);
  EXPECT_NE(spec->probes[0].placementJson, spec->probes[1].placementJson);
  EXPECT_NE(spec->probes[0].profile.fingerprint, spec->probes[2].profile.fingerprint);
}

TEST(CampaignLoader, AcceptsOnBesideAndInsideTheProbe) {
  auto spec = load(
      "campaign: c\nrunners: [{name: a}, {name: b}]\nprobes:\n"
      "  - cpu: {on: [a]}\n"
      "  - cpu:\n    on: [b]\n"
      "  - {on: [b], disk: {}}\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_THAT(spec->probes[0].on, ElementsAre("a"));
  EXPECT_THAT(spec->probes[1].on, ElementsAre("b"));
  EXPECT_THAT(spec->probes[2].on, ElementsAre("b"));
}

TEST(CampaignLoader, TakesAByteOrderMarkAndWindowsLineEnds) {
  auto spec = load(
      "\xEF\xBB\xBF"
      "campaign: c\r\nrunners: [{name: a}]\r\nprobes: [cpu]\r\n");
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->name, "c");
}

TEST(CampaignLoader, TheQuickExampleTakesAboutAMinuteOnOneMachine) {
  auto spec = load(repositoryFile("deploy/examples/quick.yaml"));
  ASSERT_TRUE(spec) << spec.error().message;
  auto plan = domain::makePlan(*spec);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->jobs.size(), 4u);
  EXPECT_EQ(spec->runners[0].match, (model::Labels{{"agent", "local-a"}}));
  EXPECT_EQ(spec->runners[1].match, (model::Labels{{"agent", "local-b"}}));
  EXPECT_EQ(spec->probes[0].profile.fingerprint, "60215c3cdb9f");  // by sha256sum
  EXPECT_EQ(spec->probes[1].profile.fingerprint, "ee82a7e2be60");
  EXPECT_GT(plan->estimateOneMachine, seconds(30));
  EXPECT_LT(plan->estimateOneMachine, seconds(90));
}

TEST(CampaignLoader, TheExampleOfTheReferenceLoads) {
  std::string page = repositoryFile("docs/campaign.md");
  std::size_t begin = page.find("```yaml\n");
  std::size_t end = page.find("\n```", begin);
  ASSERT_NE(end, std::string::npos);
  auto spec = load(page.substr(begin + 8, end - begin - 7), {{"scratch", "/mnt/nvme"}});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->probes.size(), 3u);
  for (const auto* key : {"campaign", "description", "runners", "probes", "order", "seed", "limits",
                          "report", "quiet"}) {
    EXPECT_NE(page.find("| `" + std::string(key) + "` |"), std::string::npos) << key;
  }
}

TEST(CanonicalSpecJson, SaysTheSameForTheSameCampaign) {
  auto one = load("campaign: c\nrunners: [{name: a}]\nprobes: [cpu]\nlimits: {job: 1m}\n");
  auto two = load("limits: {job: 60s}\nprobes: [cpu: {}]\nrunners:\n  - name: a\ncampaign: c\n");
  ASSERT_TRUE(one);
  ASSERT_TRUE(two) << two.error().message;
  EXPECT_EQ(canonicalSpecJson(*one), canonicalSpecJson(*two));
  EXPECT_EQ(
      canonicalSpecJson(*one),
      R"({"campaign":"c","description":"","limits":{"job_ns":60000000000,"no_progress_ns":0},)"
      R"("order":"interleave","probes":[{"estimate_ns":151000000000,"fingerprint":"c113162ea73e",)"
      R"("limit_ns":332000000000,"on":[],"params":{"duration_ns":30000000000,"samples":5},)"
      R"("placement":{},"probe":"cpu","protocol":1,"samples":5}],"report":{"publish":[],)"
      R"("title":""},"runners":[{"labels":{},"match":{},"name":"a","provider":"static"}],)"
      R"("seed":7,"seed_given":false})");
}

}  // namespace
}  // namespace fleetmark::coordinator::loader
