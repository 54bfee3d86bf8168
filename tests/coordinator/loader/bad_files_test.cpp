// What a person gets to read for each way of being wrong. The message is the interface: it is
// pinned in full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/coordinator/loader/load.h"

namespace fleetmark::coordinator::loader {
namespace {

using testing::HasSubstr;

struct BadFile {
  const char* name;
  std::string text;
  std::string faults;
};

void PrintTo(const BadFile& file, std::ostream* out) { *out << file.name; }

// A good campaign with room for one change.
std::string withProbe(const std::string& probe) {
  return "campaign: c\nrunners:\n  - name: a\nprobes:\n  - " + probe + "\n";
}
std::string withTop(const std::string& lines) {
  return "campaign: c\nrunners:\n  - name: a\nprobes:\n  - cpu\n" + lines + "\n";
}
std::string withRunner(const std::string& runner) {
  return "campaign: c\nrunners:\n  - " + runner + "\nprobes:\n  - cpu\n";
}

class BadFiles : public testing::TestWithParam<BadFile> {};

TEST_P(BadFiles, AreRefusedWithPlaceAndAdvice) {
  EXPECT_EQ(faultsOf(GetParam().text), GetParam().faults);
  auto spec = load(GetParam().text);
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.error().code, base::ErrorCode::kInvalid);
}

const BadFile kKeys[] = {
    {"typo", withProbe("disk: {sample: 3}"),
     "c.yaml:5:12: unknown key 'sample' under disk; did you mean 'samples'?"},
    {"typo_at_top", withTop("ordr: random"),
     "c.yaml:6:1: unknown key 'ordr' under the campaign; did you mean 'order'?"},
    {"stranger_key", withRunner("{name: a, colour: red}"),
     "c.yaml:3:15: unknown key 'colour' under a runner; known: name, provider, match, labels"},
    {"duplicate_key", withTop("order: random\norder: abba"),
     "c.yaml:7:1: key 'order' stands here twice, first in line 6; remove one"},
    {"merge_key", withTop("<<: {order: abba}"),
     "c.yaml:6:1: unknown key '<<' under the campaign; known: campaign, description, runners, "
     "order, seed, quiet, limits, probes, report"},
    {"no_campaign", "runners: [{name: a}]\nprobes: [cpu]\n",
     "c.yaml:1:1: 'campaign' is missing under the campaign; begin the file with 'campaign: NAME'"},
    {"empty_file", "", "c.yaml:1:1: the file is empty; a campaign begins with 'campaign: NAME'"},
    {"only_comments", "# nothing\n",
     "c.yaml:1:1: the file is empty; a campaign begins with 'campaign: NAME'"},
    {"list_at_top", "- a\n- b\n",
     "c.yaml:1:1: a campaign is a mapping that begins with 'campaign: NAME', saw a list"},
    {"text_at_top", "hello\n",
     "c.yaml:1:1: a campaign is a mapping that begins with 'campaign: NAME', saw 'hello'"},
};

const BadFile kValues[] = {
    {"wrong_unit", withProbe("cpu: {duration: 30sec}"),
     "c.yaml:5:21: 'duration' under cpu: '30sec' is not a duration: unknown unit 'sec'; write for "
     "example 30s, 250ms, 5m or 2h"},
    {"missing_unit", withProbe("cpu: {duration: 30}"),
     "c.yaml:5:21: 'duration' under cpu: '30' is not a duration: the unit is missing; write for "
     "example 30s, 250ms, 5m or 2h"},
    {"missing_size_unit", withProbe("disk: {file: 1024}"),
     "c.yaml:5:18: 'file' under disk: '1024' is not a size: the unit is missing; write for example "
     "4KiB, 128MiB or 1GiB"},
    {"unit_of_another_kind", withProbe("disk: {file: 5s}"),
     "c.yaml:5:18: 'file' under disk: '5s' is not a size: unknown unit 's'; write for example "
     "4KiB, 128MiB or 1GiB"},
    {"count_too_small", withProbe("cpu: {samples: 0}"),
     "c.yaml:5:20: 'samples' under cpu is '0'; the least is 1"},
    {"count_too_large", withProbe("cpu: {samples: 1001}"),
     "c.yaml:5:20: 'samples' under cpu is '1001'; the most is 1000"},
    {"count_beyond_64_bits", withProbe("cpu: {samples: 99999999999999999999}"),
     "c.yaml:5:20: 'samples' under cpu is '99999999999999999999'; the most is 1000"},
    {"count_with_fraction", withProbe("cpu: {samples: 3.0}"),
     "c.yaml:5:20: 'samples' under cpu must be a whole number, saw '3.0'"},
    {"count_negative", withProbe("cpu: {samples: -3}"),
     "c.yaml:5:20: 'samples' under cpu must be a whole number, saw '-3'"},
    {"count_octal", withProbe("cpu: {samples: 010}"),
     "c.yaml:5:20: 'samples' under cpu must be a whole number, saw '010'"},
    {"count_in_quotes", withProbe("cpu: {samples: '3'}"),
     "c.yaml:5:20: 'samples' under cpu must be a whole number, saw '3' in quotes"},
    {"count_missing", withProbe("cpu: {samples: }"),
     "c.yaml:5:11: 'samples' under cpu must be a whole number, saw nothing"},
    {"count_is_list", withProbe("cpu: {samples: [3]}"),
     "c.yaml:5:20: 'samples' under cpu must be a whole number, saw a list"},
    {"duration_too_short", withProbe("cpu: {duration: 1ms}"),
     "c.yaml:5:21: 'duration' under cpu is '1ms'; the least is 100ms"},
    {"duration_is_mapping", withProbe("cpu: {duration: {a: b}}"),
     "c.yaml:5:21: 'duration' under cpu must be a duration such as 30s, saw a mapping"},
    {"size_too_small", withProbe("disk: {file: 1KiB}"),
     "c.yaml:5:18: 'file' under disk is '1KiB'; the least is 1MiB"},
    {"choice", withProbe("selftest: {fault: crsh}"),
     "c.yaml:5:23: 'fault' under selftest can't be 'crsh'; did you mean 'crash'?"},
    {"relation", withProbe("disk: {min_duration: 20s, sample_timeout: 5s}"),
     "c.yaml:5:5: disk: 'sample_timeout' is shorter than 'min_duration'"},
    {"relation_of_size", withProbe("disk: {file: 3000KiB}"),
     "c.yaml:5:5: disk: 'file' must be a multiple of 1MiB"},
    {"empty_path", withProbe("disk: {path: ''}"), "c.yaml:5:18: 'path' under disk is empty"},
    {"order", withTop("order: interlaeve"),
     "c.yaml:6:8: 'order' under the campaign can't be 'interlaeve'; did you mean 'interleave'?"},
    {"seed", withTop("seed: -1"),
     "c.yaml:6:7: 'seed' under the campaign must be a whole number, saw '-1'"},
    {"seed_too_large", withTop("seed: 9223372036854775808"),
     "c.yaml:6:7: 'seed' under the campaign is '9223372036854775808'; the most is "
     "9223372036854775807"},
    {"quiet_load", withTop("quiet: {load_per_cpu: much}"),
     "c.yaml:6:23: 'load_per_cpu' under quiet must be a number such as 0.3, saw 'much'"},
    {"quiet_load_exponent", withTop("quiet: {load_per_cpu: 1e3}"),
     "c.yaml:6:23: 'load_per_cpu' under quiet must be a number such as 0.3, saw '1e3'"},
    {"quiet_otherwise", withTop("quiet: {otherwise: stop}"),
     "c.yaml:6:20: 'otherwise' under quiet can't be 'stop'; known: mark, fail"},
    {"limits_job", withTop("limits: {job: 30}"),
     "c.yaml:6:15: 'job' under limits: '30' is not a duration: the unit is missing; write for "
     "example 30s, 250ms, 5m or 2h"},
    {"limits_is_text", withTop("limits: none"),
     "c.yaml:6:9: 'limits' under the campaign must be a mapping (key: value), saw 'none'"},
    {"publish", withTop("report: {publish: [pdf]}"),
     "c.yaml:6:20: a format under 'publish' can't be 'pdf'; known: markdown, json, csv"},
    {"columns_count_characters", withTop("report: {title: 'Grüße äöü', publsh: []}"),
     "c.yaml:6:30: unknown key 'publsh' under report; did you mean 'publish'?"},
};

const BadFile kMatrix[] = {
    {"unknown_probe", withProbe("dsk: {}"),
     "c.yaml:5:5: unknown probe 'dsk'; did you mean 'disk'? Known: cpu, disk, internet, selftest"},
    {"stranger_probe", withProbe("telepathy"),
     "c.yaml:5:5: unknown probe 'telepathy'; known: cpu, disk, internet, selftest"},
    {"probe_indent", "campaign: c\nrunners: [{name: a}]\nprobes:\n  - cpu:\n    samples: 3\n",
     "c.yaml:5:5: a second key 'samples' beside probe 'cpu'; begin each probe with '- ' and indent "
     "its parameters further"},
    {"probe_is_text", withProbe("cpu: fast"),
     "c.yaml:5:10: probe 'cpu' must be a mapping (key: value), saw 'fast'"},
    {"only_on", withProbe("on: [a]"), "c.yaml:5:5: a probe is missing here; write '- cpu: {...}'"},
    {"no_runners", "campaign: c\nrunners: []\nprobes: [cpu]\n",
     "c.yaml:2:10: the list of runners is empty; add '- name: NAME'"},
    {"runners_missing", "campaign: c\nprobes: [cpu]\n",
     "c.yaml:1:1: 'runners' is missing under the campaign; add '- name: NAME'"},
    {"no_probes", "campaign: c\nrunners: [{name: a}]\nprobes: []\n",
     "c.yaml:3:9: the list of probes is empty; add '- cpu: {samples: 5, duration: 30s}'"},
    {"probes_null", "campaign: c\nrunners: [{name: a}]\nprobes:\n",
     "c.yaml:3:1: 'probes' under the campaign must be a list, saw nothing"},
    {"duplicate_runner", "campaign: c\nrunners:\n  - name: a\n  - name: a\nprobes: [cpu]\n",
     "c.yaml:4:11: runner 'a' stands here twice, first in line 3; give each runner a name of its "
     "own"},
    {"runner_without_name", withRunner("match: {os: linux}"),
     "c.yaml:3:5: 'name' is missing under a runner; add 'name: NAME'"},
    {"runner_name", withRunner("name: Lab Mac"),
     "c.yaml:3:11: 'name' under a runner is 'Lab Mac'; a name has lower-case letters, digits and "
     "hyphens, begins with a letter or digit, and has at most 63 characters"},
    {"campaign_is_number", "campaign: 42\nrunners: [{name: a}]\nprobes: [cpu]\n",
     "c.yaml:1:11: 'campaign' under the campaign is '42'; a name needs a letter, or it would read "
     "as a number"},
    {"provider_of_a_later_build", withRunner("{name: a, provider: qemu}"),
     "c.yaml:3:25: provider 'qemu' is not supported by this build yet; supported: static"},
    {"provider_typo", withRunner("{name: a, provider: statik}"),
     "c.yaml:3:25: 'provider' under a runner can't be 'statik'; did you mean 'static'?"},
    {"match_is_list", withRunner("{name: a, match: [linux]}"),
     "c.yaml:3:22: 'match' under a runner must be a mapping (key: value), saw a list"},
    {"label_without_value", withRunner("{name: a, match: {os: }}"),
     "c.yaml:3:23: label 'os' must be a text, saw nothing"},
    {"label_key", withRunner("{name: a, labels: {'a b': c}}"),
     "c.yaml:3:24: label 'a b' is not valid; use letters, digits, '_', '.' and '-', at most 63"},
    {"on_unknown", "campaign: c\nrunners: [{name: local-a}]\nprobes:\n  - cpu: {on: [locl-a]}\n",
     "c.yaml:4:16: 'on' names 'locl-a', which is no runner; did you mean 'local-a'?"},
    {"on_twice_named", withProbe("cpu: {on: [a, a]}"),
     "c.yaml:5:19: 'on' names 'a' twice; remove one"},
    {"on_empty", withProbe("cpu: {on: []}"),
     "c.yaml:5:15: 'on' is empty; name runners, or leave it out for all"},
    {"on_in_both_places", withProbe("cpu: {on: [a]}\n    on: [a]"),
     "c.yaml:5:11: 'on' stands beside and inside probe 'cpu'"},
};

const BadFile kYaml[] = {
    {"anchor", withTop("description: &x text"),
     "c.yaml:6:14: anchors and aliases (&name, *name) are not supported; write the value out, or "
     "use ${name} with --set"},
    {"alias_without_anchor", withTop("description: *x"),
     "c.yaml:6:14: not valid YAML: the referenced anchor is not defined"},
    {"tag", withTop("description: !!binary aGVsbG8="),
     "c.yaml:6:14: tags ('tag:yaml.org,2002:binary') are not supported; remove it"},
    {"two_documents", withTop("---\ncampaign: d"),
     "c.yaml:6:1: a second document begins here; write one campaign a file"},
    {"tab", "campaign: c\nrunners:\n\t- name: a\n",
     "c.yaml:3:1: a tab is used for indentation; use spaces"},
    {"nul", std::string("campaign: c\nx: \0\n", 17),
     "c.yaml:2:4: byte 0x00 has no place in a campaign; save the file as UTF-8 text"},
    {"nul_as_escape", withTop("description: \"a\\0b\""),
     "c.yaml:6:14: a control character is hidden in this text; remove it"},
    {"surrogate_as_escape", withTop("description: \"\\ud800\""),
     "c.yaml:6:21: not valid YAML: invalid unicode: 55296"},
    {"latin1", "campaign: gr\xFC\xDF\n",
     "c.yaml:1:13: byte 0xFC is not valid UTF-8; save the file as UTF-8 text"},
    {"utf16",
     std::string("\xFF\xFE"
                 "c\0a\0",
                 6),
     "c.yaml:1:4: byte 0x00 has no place in a campaign; save the file as UTF-8 text"},
    {"unclosed", "campaign: [a\n", "c.yaml:2:1: not valid YAML: end of sequence flow not found"},
    {"long_text",
     withTop("description: >-\n  " + std::string(4000, 'x') + "\n  " + std::string(96, 'x')),
     "c.yaml:6:14: a text of 4097 bytes; the limit is 4096"},
    {"key_is_mapping", withTop("? {a: b}\n: c"),
     "c.yaml:6:3: a key must be a plain word, not a mapping or list"},
    {"key_is_null", withTop(": c"), "c.yaml:6:1: a key is missing before ':'"},
};

const auto kName = [](const testing::TestParamInfo<BadFile>& info) {
  return std::string(info.param.name);
};
INSTANTIATE_TEST_SUITE_P(Keys, BadFiles, testing::ValuesIn(kKeys), kName);
INSTANTIATE_TEST_SUITE_P(Values, BadFiles, testing::ValuesIn(kValues), kName);
INSTANTIATE_TEST_SUITE_P(Matrix, BadFiles, testing::ValuesIn(kMatrix), kName);
INSTANTIATE_TEST_SUITE_P(Yaml, BadFiles, testing::ValuesIn(kYaml), kName);

TEST(BadFilesTogether, AllFaultsAreShownInOneGoByPlace) {
  EXPECT_EQ(faultsOf("campaign: C\n"
                     "runners:\n"
                     "  - {name: a, provder: static}\n"
                     "probes:\n"
                     "  - cpu: {samples: many, duration: 30}\n"
                     "  - dsik: {}\n"),
            "c.yaml:1:11: 'campaign' under the campaign is 'C'; a name has lower-case letters, "
            "digits and hyphens, begins with a letter or digit, and has at most 63 characters\n"
            "c.yaml:3:15: unknown key 'provder' under a runner; did you mean 'provider'?\n"
            "c.yaml:5:20: 'samples' under cpu must be a whole number, saw 'many'\n"
            "c.yaml:5:36: 'duration' under cpu: '30' is not a duration: the unit is missing; write "
            "for example 30s, 250ms, 5m or 2h\n"
            "c.yaml:6:5: unknown probe 'dsik'; did you mean 'disk'? Known: cpu, disk, internet, "
            "selftest");
}

TEST(BadFilesTogether, AfterTwentyFaultsOnlyTheirNumberIsShown) {
  std::string text = "campaign: c\nrunners: [{name: a}]\nprobes:\n";
  for (int i = 0; i < 25; ++i) text += "  - nope\n";
  std::string faults = faultsOf(text);
  EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 20);
  EXPECT_THAT(faults, HasSubstr("\nc.yaml: and 5 more faults; correct these first"));
}

TEST(BadFilesTogether, TheFileNameCanNotForgeLines) {
  auto spec = loadCampaign("x: 1", "a\nb\x1b[31m.yaml", {}, 1);
  ASSERT_FALSE(spec);
  EXPECT_TRUE(spec.error().message.starts_with("a b [31m.yaml:1:1: ")) << spec.error().message;
}

}  // namespace
}  // namespace fleetmark::coordinator::loader
