#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coordinator/loader/load.h"

namespace fleetmark::coordinator::loader {
namespace {

const char* const kText =
    "campaign: c\n"
    "description: on ${host}, in ${place}\n"
    "runners: [{name: a, match: {agent: '${host}'}}]\n"
    "probes:\n"
    "  - cpu: {samples: ${n}, duration: 3s}\n";

TEST(Variables, AreReplacedInValues) {
  auto spec = load(kText, {{"host", "lab-1"}, {"place", "the cellar"}, {"n", "4"}});
  ASSERT_TRUE(spec) << spec.error().message;
  EXPECT_EQ(spec->description, "on lab-1, in the cellar");
  EXPECT_EQ(spec->runners[0].match.at("agent"), "lab-1");
  EXPECT_EQ(spec->probes[0].requestedSamples, 4u);
}

TEST(Variables, WithoutAValueAreNamedOnceEach) {
  EXPECT_EQ(faultsOf(kText, {{"host", "h"}, {"n", "4"}}),
            "c.yaml:2:14: variable 'place' has no value; submit with --set place=VALUE");
}

TEST(Variables, ThatNothingUsesAreRefused) {
  EXPECT_EQ(faultsOf(kText, {{"host", "h"}, {"n", "4"}, {"place", "p"}, {"x", "1"}}),
            "c.yaml:1:1: variable 'x' is set, but nothing here uses ${x}; don't set it");
  EXPECT_EQ(faultsOf(kText, {{"host", "h"}, {"n", "4"}, {"plaec", "p"}}),
            "c.yaml:1:1: variable 'plaec' is set, but nothing here uses ${plaec}; did you mean "
            "'place'?\n"
            "c.yaml:2:14: variable 'place' has no value; submit with --set place=VALUE");
}

TEST(Variables, AreCheckedLikeWrittenValues) {
  EXPECT_EQ(faultsOf(kText, {{"host", "h"}, {"n", "lots"}, {"place", "p"}}),
            "c.yaml:5:20: 'samples' under cpu must be a whole number, saw 'lots'");
}

TEST(Variables, InAValueAreNotReplacedAgain) {
  auto spec = load(kText, {{"host", "${n}"}, {"place", "p"}, {"n", "4"}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->description, "on ${n}, in p");
}

TEST(Variables, CanNotBringStructureIn) {
  auto spec = load(kText, {{"host", "x, os: linux}"}, {"place", "p"}, {"n", "4"}});
  ASSERT_TRUE(spec);
  EXPECT_EQ(spec->runners[0].match, (model::Labels{{"agent", "x, os: linux}"}}));
  EXPECT_THAT(faultsOf(kText, {{"host", "x\ny: z"}, {"place", "p"}, {"n", "4"}}),
              testing::StartsWith(
                  "c.yaml:1:1: the value of variable 'host' must be one line of UTF-8 text"));
}

TEST(Variables, KeepTheirPlaceInMessages) {
  EXPECT_EQ(faultsOf("campaign: c\nrunners: [{name: a}]\n"
                     "probes: [cpu: {samples: ${n}, duratoin: 3s}] # ${n}\n",
                     {{"n", "4"}}),
            "c.yaml:3:31: unknown key 'duratoin' under cpu; did you mean 'duration'?");
}

TEST(Variables, AreNoKeys) {
  EXPECT_EQ(faultsOf("campaign: c\nrunners: [{name: a, match: {${k}: v}}]\nprobes: [cpu]\n"),
            "c.yaml:2:29: label '${k}' is not valid; use letters, digits, '_', '.' and '-', at "
            "most 63");
}

TEST(Variables, MalformedOnesAreRefused) {
  EXPECT_EQ(faultsOf("campaign: c\ndescription: '${'\nrunners: [{name: a}]\nprobes: [cpu]\n"),
            "c.yaml:2:14: '${' is no variable; write ${name} with letters, digits, _ and -");
  EXPECT_EQ(faultsOf("campaign: c\ndescription: ${a b}\nrunners: [{name: a}]\nprobes: [cpu]\n"),
            "c.yaml:2:14: '${a b}' is no variable; write ${name} with letters, digits, _ and -");
}

TEST(Variables, CanNotGrowATextOverItsLimit) {
  std::string text = "campaign: c\ndescription: '";
  for (int i = 0; i < 500; ++i) text += "${x}";
  text += "'\nrunners: [{name: a}]\nprobes: [cpu]\n";
  EXPECT_THAT(faultsOf(text, {{"x", std::string(4000, 'x')}}),
              testing::HasSubstr("has more than 4096 bytes"));
}

TEST(Variables, StandReplacedInTheRecord) {
  EXPECT_EQ(textWithVariables("a: ${x} # ${x}${y}\n${", {{"x", "1"}}), "a: 1 # 1${y}\n${");
}

}  // namespace
}  // namespace fleetmark::coordinator::loader
