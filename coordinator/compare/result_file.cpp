#include "coordinator/compare/result_file.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "coordinator/report/json.h"
#include "coordinator/report/row_status.h"

namespace fleetmark::coordinator::compare {

namespace {

using Json = nlohmann::json;

constexpr int kDeepest = 64;
// Evidence that no comparison reads; left out while parsing, since it is most of the file.
constexpr std::array<std::string_view, 8> kUnread{
    "context", "environment", "environment_before", "environment_after", "yaml", "placement",
    "params",  "reasons"};

// A member of the document and where it stands, for messages.
class Node {
 public:
  Node(const Json& value, std::string place) : value_(value), place_(std::move(place)) {}

  base::Error fault(const std::string& what) const {
    return base::invalid(place_ + ": " + what +
                         "; compare takes the result.json of fleetmark run or fleetmark report, "
                         "unchanged");
  }
  base::Result<Node> member(const char* name) const {
    if (!value_.is_object()) return fault("is no object");
    auto found = value_.find(name);
    if (found == value_.end()) return fault(std::string("has no member '") + name + "'");
    return Node(*found, place_ + "." + name);
  }
  base::Result<std::vector<Node>> items() const {
    if (!value_.is_array()) return fault("is no list");
    std::vector<Node> out;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      out.emplace_back(value_[i], place_ + "[" + std::to_string(i) + "]");
    }
    return out;
  }
  bool isNull() const { return value_.is_null(); }
  base::Result<std::string> text() const {
    if (!value_.is_string()) return fault("is no text");
    return value_.get<std::string>();
  }
  base::Result<std::string> textOrNull() const {
    if (isNull()) return std::string();
    return text();
  }
  base::Result<bool> flag() const {
    if (!value_.is_boolean()) return fault("is neither true nor false");
    return value_.get<bool>();
  }
  base::Result<std::int64_t> whole() const {
    if (!value_.is_number_integer()) return fault("is no whole number");
    return value_.get<std::int64_t>();
  }
  base::Result<std::uint32_t> count() const {
    if (!value_.is_number_unsigned() || value_.get<std::uint64_t>() > UINT32_MAX) {
      return fault("is no count");
    }
    return value_.get<std::uint32_t>();
  }
  base::Result<double> number() const {
    if (!value_.is_number() || !std::isfinite(value_.get<double>())) return fault("is no number");
    return value_.get<double>();
  }

 private:
  const Json& value_;
  std::string place_;
};

// node.name as `kind` reads it, into `out`.
template <typename T>
base::Status read(const Node& node, const char* name, base::Result<T> (Node::*kind)() const,
                  T& out) {
  FM_TRY_ASSIGN(Node member, node.member(name));
  FM_TRY_ASSIGN(out, (member.*kind)());
  return {};
}

template <typename Enum>
base::Status readWord(const Node& node, const char* name,
                      std::optional<Enum> (*parse)(std::string_view), Enum& out) {
  FM_TRY_ASSIGN(Node member, node.member(name));
  FM_TRY_ASSIGN(std::string word, member.text());
  auto parsed = parse(word);
  if (!parsed) return member.fault("'" + word.substr(0, 40) + "' is unknown here");
  out = *parsed;
  return {};
}

base::Result<std::string> readStatus(const Node& node) {
  FM_TRY_ASSIGN(Node member, node.member("status"));
  FM_TRY_ASSIGN(std::string word, member.text());
  const auto& all = report::allRowStatuses();
  bool known = std::any_of(all.begin(), all.end(),
                           [&](auto status) { return report::toString(status) == word; });
  if (!known) return member.fault("'" + word.substr(0, 40) + "' is unknown here");
  return word;
}

base::Status readSamples(const Node& node, ResultMetric& metric) {
  FM_TRY_ASSIGN(Node list, node.member("samples"));
  FM_TRY_ASSIGN(auto samples, list.items());
  for (const Node& sample : samples) {
    model::Verdict verdict = model::Verdict::kOk;
    FM_TRY(readWord(sample, "verdict", model::parseVerdict, verdict));
    if (verdict != model::Verdict::kOk) continue;
    double value = 0;
    FM_TRY(read(sample, "value", &Node::number, value));
    metric.values.push_back(value);
  }
  if (metric.values.size() != metric.completed) {
    return list.fault("holds " + std::to_string(metric.values.size()) +
                      " valid samples where 'completed' says " + std::to_string(metric.completed));
  }
  if (metric.status == "complete" && metric.completed < metric.requested.value_or(0)) {
    return node.fault("is called complete with " + std::to_string(metric.completed) + " of " +
                      std::to_string(*metric.requested) + " samples");
  }
  return {};
}

base::Result<ResultMetric> readMetric(const Node& node) {
  ResultMetric out;
  FM_TRY(read(node, "metric", &Node::text, out.name));
  FM_TRY(readWord(node, "unit", model::parseUnit, out.unit));
  FM_TRY(readWord(node, "better", model::parseBetter, out.better));
  FM_TRY(read(node, "headline", &Node::flag, out.headline));
  FM_TRY_ASSIGN(out.status, readStatus(node));
  FM_TRY_ASSIGN(Node requested, node.member("requested"));
  if (!requested.isNull()) {
    FM_TRY_ASSIGN(auto count, requested.count());
    out.requested = count;
  }
  FM_TRY(read(node, "completed", &Node::count, out.completed));
  FM_TRY(readSamples(node, out));
  return out;
}

base::Status readHost(const Node& node, ResultStep& step) {
  FM_TRY_ASSIGN(Node host, node.member("host"));
  if (host.isNull()) return {};
  std::string name;
  std::string machine;
  std::string boot;
  FM_TRY(read(host, "hostname", &Node::textOrNull, name));
  FM_TRY(read(host, "machine_id", &Node::textOrNull, machine));
  FM_TRY(read(host, "boot_id", &Node::textOrNull, boot));
  FM_TRY(read(host, "cpu_model", &Node::textOrNull, step.cpuModel));
  bool known = !machine.empty() || !boot.empty();
  step.instance = known ? machine + "/" + boot : "host " + name;
  return {};
}

base::Result<ResultStep> readStep(const Node& node) {
  ResultStep out;
  FM_TRY(read(node, "runner", &Node::text, out.runner));
  FM_TRY(read(node, "probe", &Node::text, out.probe));
  FM_TRY(read(node, "fingerprint", &Node::text, out.fingerprint));
  FM_TRY(read(node, "step", &Node::text, out.step));
  FM_TRY(read(node, "trial", &Node::whole, out.trial));
  FM_TRY_ASSIGN(out.status, readStatus(node));
  FM_TRY_ASSIGN(Node pinned, node.member("pinned"));
  if (!pinned.isNull()) {
    FM_TRY_ASSIGN(bool flag, pinned.flag());
    out.pinned = flag;
  }
  FM_TRY(read(node, "agent_version", &Node::textOrNull, out.agentVersion));
  FM_TRY(readHost(node, out));
  FM_TRY_ASSIGN(Node metrics, node.member("metrics"));
  FM_TRY_ASSIGN(auto items, metrics.items());
  for (const Node& item : items) {
    FM_TRY_ASSIGN(auto metric, readMetric(item));
    out.metrics.push_back(std::move(metric));
  }
  return out;
}

base::Result<ResultFile> readDocument(const Node& root, const std::string& origin) {
  std::string schema;
  FM_TRY(read(root, "schema", &Node::text, schema));
  if (schema != report::kResultSchema) {
    return root.fault("is '" + schema.substr(0, 60) + "' where " +
                      std::string(report::kResultSchema) + " is wanted");
  }
  ResultFile out;
  out.origin = origin;
  FM_TRY_ASSIGN(Node campaign, root.member("campaign"));
  FM_TRY(read(campaign, "name", &Node::text, out.campaign));
  FM_TRY(read(campaign, "id", &Node::whole, out.campaignId));
  FM_TRY_ASSIGN(Node runners, root.member("runners"));
  FM_TRY_ASSIGN(auto runnerItems, runners.items());
  for (const Node& item : runnerItems) {
    std::string name;
    FM_TRY(read(item, "name", &Node::text, name));
    out.runners.push_back(std::move(name));
  }
  FM_TRY_ASSIGN(Node results, root.member("results"));
  FM_TRY_ASSIGN(auto steps, results.items());
  for (const Node& item : steps) {
    FM_TRY_ASSIGN(auto step, readStep(item));
    out.steps.push_back(std::move(step));
  }
  return out;
}

}  // namespace

base::Result<ResultFile> readResult(std::string_view text, const std::string& origin) {
  bool tooDeep = false;
  Json::parser_callback_t skip = [&](int depth, Json::parse_event_t event, Json& parsed) {
    tooDeep = tooDeep || depth > kDeepest;
    if (event != Json::parse_event_t::key) return depth <= kDeepest;
    const auto& name = parsed.get_ref<const std::string&>();
    return std::find(kUnread.begin(), kUnread.end(), name) == kUnread.end();
  };
  Json document = Json::parse(text, skip, /*allow_exceptions=*/false);
  if (tooDeep) return Node(document, origin).fault("is nested too deeply");
  if (document.is_discarded()) return Node(document, origin).fault("is no JSON");
  return readDocument(Node(document, origin), origin);
}

}  // namespace fleetmark::coordinator::compare
