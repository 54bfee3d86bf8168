#include "agent/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/temporary_folder.h"

namespace fleetmark::agent::config {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string errorOf(const std::string& yaml) {
  auto config = parseConfig(yaml, "agent.yaml");
  if (config) return "(accepted)";
  EXPECT_EQ(config.error().code, base::ErrorCode::kInvalid);
  return config.error().message;
}

TEST(AgentConfig, ReadsEveryKey) {
  auto config = parseConfig(
      "coordinators: [a.example:7411, '[::1]:7411']\n"
      "identity: /etc/fleetmark/agent\n"
      "name: local-a\n"
      "state: /var/lib/fleetmark-agent\n"
      "labels: {region: eu-west, disk: nvme}\n"
      "spool: 64MiB\n",
      "agent.yaml");
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_THAT(config->coordinators, ElementsAre("a.example:7411", "[::1]:7411"));
  EXPECT_EQ(config->identity, "/etc/fleetmark/agent");
  EXPECT_EQ(config->name, "local-a");
  EXPECT_EQ(config->state, "/var/lib/fleetmark-agent");
  EXPECT_EQ(config->labels, (model::Labels{{"disk", "nvme"}, {"region", "eu-west"}}));
  EXPECT_EQ(config->spool.count, 67'108'864);
  EXPECT_TRUE(checkConfig(*config));
}

// yaml-cpp's LoadAll never ended on this; found by fuzzing.
TEST(AgentConfig, RefusesTextAfterTheDocument) {
  EXPECT_THAT(errorOf(", b]\nname: a\n"), HasSubstr("agent.yaml"));
  EXPECT_THAT(errorOf("name: a\n---\nname: b\n"), HasSubstr("more than one YAML document"));
  EXPECT_TRUE(parseConfig("", "agent.yaml"));
}

TEST(AgentConfig, TakesOneCoordinatorWithoutAList) {
  auto config = parseConfig("coordinators: a.example:7411\n", "agent.yaml");
  ASSERT_TRUE(config);
  EXPECT_THAT(config->coordinators, ElementsAre("a.example:7411"));
}

TEST(AgentConfig, NamesPlaceAndNearestOfAnUnknownKey) {
  auto message = errorOf("name: a\n  \ncoordinator: [x:1]\n");
  EXPECT_THAT(message, StartsWith("agent.yaml:3:1: "));
  EXPECT_THAT(message, HasSubstr("did you mean 'coordinators'?"));
  EXPECT_THAT(errorOf("frobnicate: 1\n"), HasSubstr("known are coordinators"));
}

TEST(AgentConfig, RefusesWhatItCantMean) {
  EXPECT_THAT(errorOf("name: [a, b]\n"), StartsWith("agent.yaml:1:7: 'name' takes one line"));
  EXPECT_THAT(errorOf("name: a\nname: b\n"), HasSubstr("twice"));
  EXPECT_THAT(errorOf("spool: 256\n"), StartsWith("agent.yaml:1:8: "));
  EXPECT_THAT(errorOf("coordinators: [nowhere]\n"), HasSubstr("host:port"));
  EXPECT_THAT(errorOf("coordinators: ['a:0']\n"), HasSubstr("1 to 65535"));
  EXPECT_THAT(errorOf("coordinators: ['a:65536']\n"), HasSubstr("1 to 65535"));
  EXPECT_THAT(errorOf("labels: {'a b': c}\n"), HasSubstr("label name 'a b'"));
  EXPECT_THAT(errorOf("labels: [a]\n"), HasSubstr("mapping of names"));
  EXPECT_THAT(errorOf("- a\n"), HasSubstr("no mapping"));
  EXPECT_THAT(errorOf("labels: {a: b\n"), HasSubstr("not valid YAML"));
  EXPECT_THAT(errorOf("name: a\n---\nname: b\n"), HasSubstr("more than one YAML document"));
  EXPECT_THAT(errorOf(std::string(70'000, '#')), HasSubstr("at most 65536"));
}

TEST(AgentConfig, FlagsWinOverTheFileAndLabelsMerge) {
  AgentConfig config;
  config.coordinators = {"file:1"};
  config.name = "file";
  config.labels = {{"a", "1"}, {"b", "2"}};
  Overrides overrides;
  overrides.coordinators = {"flag:2"};
  overrides.identity = "/id";
  overrides.labels = {"b=3", "c=x=y"};
  ASSERT_TRUE(applyOverrides(overrides, config));
  EXPECT_THAT(config.coordinators, ElementsAre("flag:2"));
  EXPECT_EQ(config.name, "file");
  EXPECT_EQ(config.identity, "/id");
  EXPECT_EQ(config.labels, (model::Labels{{"a", "1"}, {"b", "3"}, {"c", "x=y"}}));
  overrides.labels = {"novalue"};
  EXPECT_FALSE(applyOverrides(overrides, config));
}

TEST(AgentConfig, SaysWhatIsMissingToRun) {
  AgentConfig config;
  EXPECT_THAT(checkConfig(config).error().message, HasSubstr("--coordinator"));
  config.coordinators = {"a:1"};
  EXPECT_THAT(checkConfig(config).error().message, HasSubstr("--identity"));
  config.identity = "/id";
  EXPECT_THAT(checkConfig(config).error().message, HasSubstr("--state"));
  config.state = "/state";
  EXPECT_TRUE(checkConfig(config));
}

TEST(AgentLabels, AddToTheHostsButDontContradictThem) {
  model::HostFacts host;
  host.os = "linux";
  host.arch = "x64";
  host.hostname = "m1";
  auto labels = agentLabels(host, "local-a", {{"region", "eu"}, {"os", "linux"}});
  ASSERT_TRUE(labels);
  EXPECT_EQ(*labels, (model::Labels{{"agent", "local-a"},
                                    {"arch", "x64"},
                                    {"hostname", "m1"},
                                    {"os", "linux"},
                                    {"region", "eu"}}));
  auto refused = agentLabels(host, "local-a", {{"arch", "arm64"}});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("'arch' is configured as 'arm64'"));
}

TEST(AgentIdentity, IsReadFromItsFolderUnlessOthersMayReadTheKey) {
  tests::TemporaryFolder folder;
  EXPECT_EQ(loadIdentity(folder.path()).error().code, base::ErrorCode::kNotFound);
  ASSERT_TRUE(platform::writePrivateFile(folder.path() + "/certificate.pem", "c"));
  ASSERT_TRUE(platform::writePrivateFile(folder.path() + "/key.pem", "k"));
  ASSERT_TRUE(platform::writePrivateFile(folder.path() + "/ca.pem", "a"));
  auto identity = loadIdentity(folder.path());
  ASSERT_TRUE(identity) << identity.error().message;
  EXPECT_EQ(identity->certificatePem + identity->keyPem + identity->caPem, "cka");

  std::filesystem::permissions(folder.path() + "/key.pem", std::filesystem::perms::group_read,
                               std::filesystem::perm_options::add);
  auto open = loadIdentity(folder.path());
  ASSERT_FALSE(open);
  EXPECT_EQ(open.error().code, base::ErrorCode::kDenied);
  EXPECT_THAT(open.error().message, HasSubstr("chmod 600"));
}

}  // namespace
}  // namespace fleetmark::agent::config
