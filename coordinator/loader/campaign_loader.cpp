#include "coordinator/loader/campaign_loader.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <vector>

#include "common/probes/spec.h"
#include "coordinator/loader/fields.h"
#include "coordinator/loader/issues.h"
#include "coordinator/loader/probe_params.h"
#include "coordinator/loader/text_check.h"
#include "coordinator/loader/variables.h"
#include "coordinator/loader/yaml_tree.h"

namespace fleetmark::coordinator::loader {

namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kMostJobs = 10'000;
constexpr std::size_t kMostLabels = 64;
constexpr std::size_t kLongestLabelKey = 63;
constexpr std::size_t kLongestLabelValue = 256;
// So that the seed fits SQL's bigint and JSON readers with signed integers.
constexpr std::int64_t kLargestSeed = INT64_MAX;

const std::vector<std::string_view> kKnownProviders{"static", "command", "namespace",
                                                    "nspawn", "qemu",    "github-actions"};

bool isLabelKey(std::string_view key) {
  return !key.empty() && key.size() <= kLongestLabelKey &&
         std::all_of(key.begin(), key.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '.' || c == '-';
         });
}

model::Labels readLabels(const Field& field, Issues& issues) {
  model::Labels labels;
  if (!isMapping(field, issues)) return labels;
  const Node& mapping = *field.node;
  if (mapping.keys.size() > kMostLabels) {
    issues.add(field.place(),
               field.label + " has more than " + std::to_string(kMostLabels) + " labels");
    return labels;
  }
  for (std::size_t i = 0; i < mapping.keys.size(); ++i) {
    const auto& key = mapping.keys[i];
    if (!isLabelKey(key.text)) {
      issues.add(key.place, "label " + quoted(key.text) +
                                " is not valid; use letters, digits, '_', '.' and '-', at most " +
                                std::to_string(kLongestLabelKey));
      continue;
    }
    Field label{&mapping.items[i], key.place, "label '" + key.text + "'"};
    auto value = readText(label, Empty::kRefused, issues);
    if (!value) continue;
    if (value->size() > kLongestLabelValue || value->find('\n') != std::string::npos) {
      issues.add(label.place(), label.label + " must be one line of at most " +
                                    std::to_string(kLongestLabelValue) + " bytes");
      continue;
    }
    labels[key.text] = *value;
  }
  return labels;
}

class CampaignReader {
 public:
  CampaignReader(Issues& issues, std::uint64_t seedIfAbsent) : issues_(issues) {
    spec_.seed = seedIfAbsent;
  }

  model::CampaignSpec read(const Node& root) {
    if (root.kind != NodeKind::kMapping) {
      issues_.add(root.place, "a campaign is a mapping that begins with 'campaign: NAME', saw " +
                                  describe(root));
      return {};
    }
    Fields top(root, "the campaign",
               {"campaign", "description", "runners", "order", "seed", "quiet", "limits", "probes",
                "report"},
               issues_);
    if (auto name = top.require("campaign", "begin the file with 'campaign: NAME'")) {
      spec_.name = readName(*name, issues_).value_or("");
    }
    if (auto text = top.find("description")) {
      spec_.description = readText(*text, Empty::kAllowed, issues_).value_or("");
    }
    if (auto runners = top.require("runners", "add '- name: NAME'")) readRunners(*runners);
    readOrder(top);
    if (auto quiet = top.find("quiet")) readQuiet(*quiet);
    if (auto limits = top.find("limits")) readLimits(*limits);
    if (auto probes = top.require("probes", "add '- cpu: {samples: 5, duration: 30s}'")) {
      readProbes(*probes);
    }
    if (auto report = top.find("report")) readReport(*report);
    return std::move(spec_);
  }

 private:
  void readRunners(const Field& field) {
    if (!isList(field, issues_)) return;
    if (field.node->items.empty()) {
      issues_.add(field.place(), "the list of runners is empty; add '- name: NAME'");
    }
    for (const Node& item : field.node->items) {
      Field entry{&item, item.place, "a runner"};
      if (item.kind == NodeKind::kNull) entry.keyPlace = field.keyPlace;
      if (isMapping(entry, issues_)) readRunner(item);
    }
  }

  void readRunner(const Node& node) {
    Fields fields(node, "a runner", {"name", "provider", "match", "labels"}, issues_);
    model::RunnerSpec runner;
    auto name = fields.require("name", "add 'name: NAME'");
    if (name) runner.name = readName(*name, issues_).value_or("");
    if (auto provider = fields.find("provider")) readProvider(*provider);
    if (auto match = fields.find("match")) runner.match = readLabels(*match, issues_);
    if (auto labels = fields.find("labels")) runner.labels = readLabels(*labels, issues_);
    if (runner.name.empty()) return;
    for (std::size_t i = 0; i < spec_.runners.size(); ++i) {
      if (spec_.runners[i].name != runner.name) continue;
      issues_.add(name->place(), "runner '" + runner.name + "' stands here twice, first in line " +
                                     std::to_string(runnerPlaces_[i].line) +
                                     "; give each runner a name of its own");
      return;
    }
    spec_.runners.push_back(std::move(runner));
    runnerPlaces_.push_back(name->place());
  }

  void readProvider(const Field& field) {
    auto provider = readChoice(field, kKnownProviders, issues_);
    if (provider && *provider != "static") {
      issues_.add(field.place(), "provider '" + *provider +
                                     "' is not supported by this build yet; supported: static");
    }
  }

  void readOrder(const Fields& top) {
    if (auto field = top.find("order")) {
      auto word = readChoice(*field, {"declared", "interleave", "abba", "random"}, issues_);
      if (word) spec_.order = model::parseOrder(*word).value_or(model::Order::kInterleave);
    }
    if (auto field = top.find("seed")) {
      if (auto seed = readCount(*field, 0, kLargestSeed, issues_)) {
        spec_.seed = static_cast<std::uint64_t>(*seed);
        spec_.seedGiven = true;
      }
    }
  }

  void readQuiet(const Field& field) {
    if (!isMapping(field, issues_)) return;
    Fields fields(*field.node, "quiet", {"load_per_cpu", "wait", "otherwise"}, issues_);
    model::QuietSpec quiet;
    quiet.wait = minutes(5);
    if (auto load = fields.find("load_per_cpu")) {
      if (auto value = readDecimal(*load, 0.01, 64, issues_)) quiet.loadPerCpu = *value;
    }
    if (auto wait = fields.find("wait")) {
      if (auto value = readDuration(*wait, base::Nanos(0), hours(24), issues_)) quiet.wait = *value;
    }
    if (auto otherwise = fields.find("otherwise")) {
      auto word = readChoice(*otherwise, {"mark", "fail"}, issues_);
      if (word && *word == "fail") quiet.otherwise = model::QuietOtherwise::kFail;
    }
    spec_.quiet = quiet;
  }

  void readLimits(const Field& field) {
    if (!isMapping(field, issues_)) return;
    Fields fields(*field.node, "limits", {"job", "campaign", "no_progress"}, issues_);
    if (auto job = fields.find("job")) {
      spec_.jobLimit = readDuration(*job, seconds(1), hours(168), issues_).value_or(base::Nanos(0));
    }
    if (auto campaign = fields.find("campaign")) {
      spec_.campaignLimit =
          readDuration(*campaign, seconds(1), hours(24 * 90), issues_).value_or(base::Nanos(0));
    }
    if (auto progress = fields.find("no_progress")) {
      spec_.noProgressLimit =
          readDuration(*progress, seconds(1), hours(24), issues_).value_or(base::Nanos(0));
    }
  }

  void readProbes(const Field& field) {
    if (!isList(field, issues_)) return;
    if (field.node->items.empty()) {
      issues_.add(field.place(),
                  "the list of probes is empty; add '- cpu: {samples: 5, duration: 30s}'");
    }
    if (field.node->items.size() > kMostJobs) {
      issues_.add(field.place(), "more than " + std::to_string(kMostJobs) +
                                     " probes; split the campaign into several");
      return;
    }
    for (const Node& item : field.node->items) {
      if (issues_.full()) return;
      readProbeItem(item, field);
    }
    if (jobs_ > kMostJobs) {
      issues_.add(field.place(), std::to_string(jobs_) + " jobs (probes x runners), the limit is " +
                                     std::to_string(kMostJobs) +
                                     "; split the campaign into several");
    }
  }

  // `- cpu`, `- cpu: {...}`, or either with `on: [...]` beside or inside.
  void readProbeItem(const Node& item, const Field& list) {
    static const Node kNoParams = [] {
      Node node;
      node.kind = NodeKind::kMapping;
      return node;
    }();
    if (item.kind == NodeKind::kScalar) {
      readProbeUse(item.text, item.place, kNoParams, std::nullopt);
      return;
    }
    Field entry{&item, list.keyPlace, "a probe"};
    if (!isMapping(entry, issues_)) return;
    std::optional<Field> on;
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < item.keys.size(); ++i) {
      if (item.keys[i].text == "on") {
        on = Field{&item.items[i], item.keys[i].place, "'on'"};
      } else if (at) {
        issues_.add(item.keys[i].place,
                    "a second key " + quoted(item.keys[i].text) + " beside probe " +
                        quoted(item.keys[*at].text) +
                        "; begin each probe with '- ' and indent its parameters further");
        return;
      } else {
        at = i;
      }
    }
    if (!at) {
      issues_.add(item.place, "a probe is missing here; write '- cpu: {...}'");
      return;
    }
    const Node& params = item.items[*at];
    const auto& key = item.keys[*at];
    if (params.kind != NodeKind::kMapping && params.kind != NodeKind::kNull) {
      isMapping(Field{&params, key.place, "probe " + quoted(key.text)}, issues_);
      return;
    }
    readProbeUse(key.text, key.place, params.kind == NodeKind::kNull ? kNoParams : params, on);
  }

  void readProbeUse(const std::string& name, const Place& place, const Node& params,
                    std::optional<Field> on) {
    const probes::ProbeSpec* spec = probes::findSpec(name);
    if (spec == nullptr) {
      std::vector<std::string_view> known;
      for (const auto* each : probes::allSpecs()) known.push_back(each->name);
      auto near = suggestion(name, known);
      if (near.find("did you mean") != std::string::npos) near += " Known: " + joined(known);
      issues_.add(place, "unknown probe " + quoted(name) + near);
      return;
    }
    std::vector<std::string_view> known;
    for (const auto& param : spec->params) known.push_back(param.name);
    known.push_back("on");
    Fields fields(params, name, known, issues_);
    if (auto inside = fields.find("on")) {
      if (on) issues_.add(inside->keyPlace, "'on' stands beside and inside probe '" + name + "'");
      on = inside;
    }
    std::vector<std::string> runners;
    if (on) runners = readOn(*on);
    auto use = readProbe(*spec, fields, place, issues_);
    if (!use) return;
    jobs_ += runners.empty() ? spec_.runners.size() : runners.size();
    use->on = std::move(runners);
    spec_.probes.push_back(std::move(*use));
  }

  std::vector<std::string> readOn(const Field& field) {
    std::vector<std::string> names;
    if (!isList(field, issues_)) return names;
    if (field.node->items.empty()) {
      issues_.add(field.place(), "'on' is empty; name runners, or leave it out for all");
    }
    std::vector<std::string_view> known;
    for (const auto& runner : spec_.runners) known.push_back(runner.name);
    for (const Node& item : field.node->items) {
      Field entry{&item, field.keyPlace, "a name under 'on'"};
      auto name = readText(entry, Empty::kRefused, issues_);
      if (!name) continue;
      if (std::find(known.begin(), known.end(), *name) == known.end()) {
        issues_.add(entry.place(), "'on' names " + quoted(*name) + ", which is no runner" +
                                       (known.empty() ? std::string() : suggestion(*name, known)));
      } else if (std::find(names.begin(), names.end(), *name) != names.end()) {
        issues_.add(entry.place(), "'on' names '" + *name + "' twice; remove one");
      } else {
        names.push_back(*name);
      }
    }
    return names;
  }

  void readReport(const Field& field) {
    if (!isMapping(field, issues_)) return;
    Fields fields(*field.node, "report", {"title", "publish"}, issues_);
    if (auto title = fields.find("title")) {
      spec_.title = readText(*title, Empty::kAllowed, issues_).value_or("");
    }
    auto publish = fields.find("publish");
    if (!publish || !isList(*publish, issues_)) return;
    for (const Node& item : publish->node->items) {
      Field entry{&item, publish->keyPlace, "a format under 'publish'"};
      auto word = readChoice(entry, {"markdown", "json", "csv"}, issues_);
      if (!word) continue;
      auto& formats = spec_.publish;
      if (std::find(formats.begin(), formats.end(), *word) == formats.end()) {
        formats.push_back(*word);
      }
    }
  }

  Issues& issues_;
  model::CampaignSpec spec_;
  std::vector<Place> runnerPlaces_;
  std::size_t jobs_ = 0;
};

}  // namespace

base::Result<model::CampaignSpec> loadCampaign(std::string_view text, const std::string& fileName,
                                               const std::map<std::string, std::string>& variables,
                                               std::uint64_t seedIfAbsent) {
  Issues issues(fileName);
  if (!checkText(text, issues)) return issues.toError();
  auto root = parseYaml(text, issues);
  if (!root) return issues.toError();
  replaceVariables(*root, variables, issues);
  auto spec = CampaignReader(issues, seedIfAbsent).read(*root);
  if (issues.any()) return issues.toError();
  return spec;
}

std::string textWithVariables(std::string_view text,
                              const std::map<std::string, std::string>& variables) {
  std::string out;
  std::size_t from = 0;
  for (;;) {
    std::size_t begin = text.find("${", from);
    std::size_t end = begin == std::string_view::npos ? begin : text.find('}', begin);
    if (end == std::string_view::npos) break;
    auto found = variables.find(std::string(text.substr(begin + 2, end - begin - 2)));
    if (found == variables.end()) {
      out += text.substr(from, begin + 2 - from);
      from = begin + 2;
      continue;
    }
    out += text.substr(from, begin - from);
    out += found->second;
    from = end + 1;
  }
  out += text.substr(from);
  return out;
}

}  // namespace fleetmark::coordinator::loader
