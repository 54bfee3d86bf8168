#include "common/probes/spec.h"

#include <array>
#include <nlohmann/json.hpp>

#include "common/base/check.h"

namespace fleetmark::probes {

#define FM_PROBE(name) const ProbeSpec& name##Spec();
#include "common/probes/all_probes.def"
#undef FM_PROBE

std::span<const ProbeSpec* const> allSpecs() {
  static const std::array all{
#define FM_PROBE(name) &name##Spec(),
#include "common/probes/all_probes.def"
#undef FM_PROBE
  };
  return all;
}

const ProbeSpec* findSpec(std::string_view name) {
  for (const ProbeSpec* spec : allSpecs()) {
    if (spec->name == name) return spec;
  }
  return nullptr;
}

const MetricSpec* ProbeSpec::metric(std::string_view metricName) const {
  for (const auto& known : metrics) {
    if (known.name == metricName) return &known;
  }
  return nullptr;
}

std::string jsonKey(const ParamSpec& param) {
  std::string key(param.name);
  if (param.kind == ParamKind::kDuration) key += "_ns";
  if (param.kind == ParamKind::kBytes) key += "_bytes";
  return key;
}

base::Result<Params> Params::parse(const ProbeSpec& spec, std::string_view paramsJson,
                                   std::string_view placementJson) {
  Params out;
  for (auto text : {paramsJson, placementJson}) {
    auto object = nlohmann::json::parse(text, nullptr, false);
    if (object.is_discarded() || !object.is_object()) {
      return base::invalid("probe parameters are not a JSON object");
    }
    for (const auto& [key, value] : object.items()) {
      Value item;
      item.key = key;
      if (value.is_boolean()) {
        item.number = value.get<bool>() ? 1 : 0;
      } else if (value.is_number_integer()) {
        item.number = value.get<std::int64_t>();
      } else if (value.is_string()) {
        item.text = value.get<std::string>();
      } else {
        return base::invalid("probe parameter '" + key + "' is no integer, text or boolean");
      }
      item.isText = value.is_string();
      out.values_.push_back(std::move(item));
    }
  }
  for (const auto& param : spec.params) {
    std::string key = jsonKey(param);
    bool wantsText = param.kind == ParamKind::kText || param.kind == ParamKind::kChoice;
    bool found = false;
    for (const auto& value : out.values_) found |= value.key == key && value.isText == wantsText;
    if (!found) {
      return base::invalid("parameter '" + key + "' of probe '" + std::string(spec.name) +
                           "' is absent; do coordinator and agent have the same version?");
    }
  }
  return out;
}

const Params::Value& Params::find(std::string_view name, std::string_view suffix) const {
  std::string key = std::string(name) + std::string(suffix);
  for (const auto& value : values_) {
    if (value.key == key) return value;
  }
  FM_CHECK(false && "unknown probe parameter");
  return values_.front();
}

std::int64_t Params::count(std::string_view name) const { return find(name, "").number; }
base::Nanos Params::duration(std::string_view name) const {
  return base::Nanos(find(name, "_ns").number);
}
base::Bytes Params::bytes(std::string_view name) const {
  return base::Bytes{find(name, "_bytes").number};
}
std::string Params::text(std::string_view name) const { return find(name, "").text; }
bool Params::flag(std::string_view name) const { return find(name, "").number != 0; }

}  // namespace fleetmark::probes
