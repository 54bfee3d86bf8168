// What the fleet knows of a probe without running it: its parameters, metrics and how long it
// takes. The campaign loader, the planner, the report and the agent read the same spec; the
// implementation stands in agent/probes/.
//
// A probe is one line in all_probes.def, common/probes/<name>.cpp (this spec), agent/probes/<name>
// and docs/probes/<name>.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/base/units.h"
#include "common/model/campaign.h"
#include "common/model/sample.h"

namespace fleetmark::probes {

enum class ParamKind {
  kCount,     // 5; JSON integer under the same name
  kDuration,  // 30s; JSON integer under <name>_ns
  kBytes,     // 1GiB; JSON integer under <name>_bytes
  kText,      // JSON text
  kChoice,    // one of `choices`; JSON text
  kFlag,      // true | false; JSON boolean
};

// Whether a parameter changes the measurement (and so the fingerprint) or only says where.
enum class ParamPart { kProfile, kPlacement };

struct ParamSpec {
  std::string_view name;  // as in the campaign
  ParamKind kind;
  ParamPart part;
  std::string_view defaultText;  // as a person would write it
  std::string_view help;
  std::int64_t min = 0;  // kCount: as is; kDuration: ns; kBytes: bytes
  std::int64_t max = INT64_MAX;
  std::vector<std::string_view> choices = {};
};

struct MetricSpec {
  std::string_view name;  // ^[a-z][a-z0-9_]*$, unique within the probe
  model::Unit unit;
  model::Better better;
  bool headline;  // stands in the report's first table
  std::string_view help;
};

struct ProbeSpec;

// Resolved parameters, read by name; asking for a name the spec lacks is a broken invariant.
class Params {
 public:
  // Both JSON objects as the campaign loader wrote them. kInvalid when malformed or when one of
  // the spec's parameters is absent or of another kind (an agent and a coordinator of different
  // versions can disagree).
  static base::Result<Params> parse(const ProbeSpec& spec, std::string_view paramsJson,
                                    std::string_view placementJson);
  std::int64_t count(std::string_view name) const;
  base::Nanos duration(std::string_view name) const;
  base::Bytes bytes(std::string_view name) const;
  std::string text(std::string_view name) const;
  bool flag(std::string_view name) const;

 private:
  struct Value {
    std::string key;
    std::int64_t number = 0;
    std::string text;
    bool isText = false;
  };
  const Value& find(std::string_view name, std::string_view suffix) const;
  std::vector<Value> values_;
};

struct Estimate {
  base::Nanos expected{0};
  base::Nanos limit{0};       // a step over this is ended
  std::uint32_t samples = 0;  // per metric
};

struct ProbeSpec {
  std::string_view name;
  std::int64_t protocol;  // raise when the way of measuring changes
  std::string_view summary;
  std::vector<ParamSpec> params;
  std::vector<MetricSpec> metrics;
  Estimate (*estimate)(const Params&);
  base::Status (*check)(const Params&);  // relations between parameters; may be null
  // The steps of one job, with names, needs and estimates; null: one step "measure".
  std::vector<model::PlannedStep> (*steps)(const Params&) = nullptr;

  const MetricSpec* metric(std::string_view metricName) const;
};

// In the order of all_probes.def.
std::span<const ProbeSpec* const> allSpecs();
const ProbeSpec* findSpec(std::string_view name);

// The JSON key of a parameter: its name with the unit suffix of its kind.
std::string jsonKey(const ParamSpec& param);

}  // namespace fleetmark::probes
