#include "coordinator/loader/probe_params.h"

#include <nlohmann/json.hpp>
#include <string>

#include "common/base/check.h"

namespace fleetmark::coordinator::loader {

namespace {

using probes::ParamKind;
using probes::ParamPart;
using probes::ParamSpec;

std::optional<nlohmann::json> readParam(const ParamSpec& param, const Field& field,
                                        Issues& issues) {
  switch (param.kind) {
    case ParamKind::kCount:
      if (auto value = readCount(field, param.min, param.max, issues)) return *value;
      return std::nullopt;
    case ParamKind::kDuration:
      if (auto value =
              readDuration(field, base::Nanos(param.min), base::Nanos(param.max), issues)) {
        return value->count();
      }
      return std::nullopt;
    case ParamKind::kBytes:
      if (auto value = readBytes(field, base::Bytes{param.min}, base::Bytes{param.max}, issues)) {
        return value->count;
      }
      return std::nullopt;
    case ParamKind::kText:
      if (auto value = readText(
              field, param.defaultText.empty() ? Empty::kAllowed : Empty::kRefused, issues)) {
        return *value;
      }
      return std::nullopt;
    case ParamKind::kChoice:
      if (auto value = readChoice(field, param.choices, issues)) return *value;
      return std::nullopt;
    case ParamKind::kFlag:
      if (auto value = readFlag(field, issues)) return *value;
      return std::nullopt;
  }
  return std::nullopt;
}

// A default is read as if it stood in the file: one way, one set of checks.
nlohmann::json defaultOf(const ParamSpec& param) {
  Node node;
  node.kind = NodeKind::kScalar;
  node.text = std::string(param.defaultText);
  Issues issues("default");
  auto value = readParam(param, Field{&node, {}, std::string(param.name)}, issues);
  FM_CHECK(value.has_value() && "the default of a probe parameter breaks its own limits");
  return *value;
}

}  // namespace

std::optional<model::ProbeUse> readProbe(const probes::ProbeSpec& spec, const Fields& fields,
                                         const Place& place, Issues& issues) {
  auto profile = nlohmann::json::object();
  auto placement = nlohmann::json::object();
  bool complete = true;
  for (const auto& param : spec.params) {
    auto field = fields.find(param.name);
    auto value = field ? readParam(param, *field, issues) : defaultOf(param);
    if (!value) {
      complete = false;
      continue;
    }
    (param.part == ParamPart::kProfile ? profile : placement)[probes::jsonKey(param)] = *value;
  }
  if (!complete) return std::nullopt;

  std::string name(spec.name);
  model::ProbeUse use;
  use.paramsJson = profile.dump();
  use.placementJson = placement.dump();
  auto params = probes::Params::parse(spec, use.paramsJson, use.placementJson);
  if (!params) {
    issues.add(place, name + ": " + params.error().message);
    return std::nullopt;
  }
  if (spec.check != nullptr) {
    if (auto checked = spec.check(*params); !checked) {
      issues.add(place, name + ": " + checked.error().message);
      return std::nullopt;
    }
  }
  auto made = model::makeProfile(name, spec.protocol, use.paramsJson);
  if (!made) {
    issues.add(place, name + ": " + made.error().message);
    return std::nullopt;
  }
  use.profile = *made;
  auto estimate = spec.estimate(*params);
  use.estimate = estimate.expected;
  use.timeLimit = estimate.limit;
  use.requestedSamples = estimate.samples;
  if (spec.steps != nullptr) use.steps = spec.steps(*params);
  return use;
}

}  // namespace fleetmark::coordinator::loader
