#include "agent/cli/probe_request_text.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "common/base/units.h"

namespace fleetmark::agent::cli {

namespace {

using fleetmark::probes::ParamKind;
using fleetmark::probes::ParamPart;
using fleetmark::probes::ParamSpec;

base::Result<std::int64_t> parseCount(const std::string& text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return base::invalid("'" + text.substr(0, 60) + "' is no whole number");
  }
  return value;
}

base::Result<std::int64_t> inRange(const ParamSpec& param, std::int64_t value) {
  if (value >= param.min && value <= param.max) return value;
  return base::invalid("the value is outside its range, from " + std::to_string(param.min) +
                       " to " + std::to_string(param.max) +
                       (param.kind == ParamKind::kDuration ? " ns"
                        : param.kind == ParamKind::kBytes  ? " bytes"
                                                           : ""));
}

base::Result<nlohmann::json> valueOf(const ParamSpec& param, const std::string& text) {
  switch (param.kind) {
    case ParamKind::kCount: {
      FM_TRY_ASSIGN(auto count, parseCount(text));
      FM_TRY_ASSIGN(auto value, inRange(param, count));
      return nlohmann::json(value);
    }
    case ParamKind::kDuration: {
      FM_TRY_ASSIGN(auto duration, base::parseDuration(text));
      FM_TRY_ASSIGN(auto value, inRange(param, duration.count()));
      return nlohmann::json(value);
    }
    case ParamKind::kBytes: {
      FM_TRY_ASSIGN(auto bytes, base::parseBytes(text));
      FM_TRY_ASSIGN(auto value, inRange(param, bytes.count));
      return nlohmann::json(value);
    }
    case ParamKind::kText:
      return nlohmann::json(text);
    case ParamKind::kChoice: {
      if (std::find(param.choices.begin(), param.choices.end(), text) != param.choices.end()) {
        return nlohmann::json(text);
      }
      std::string known;
      for (auto choice : param.choices) known += (known.empty() ? "" : ", ") + std::string(choice);
      return base::invalid("'" + text.substr(0, 60) + "' is none of " + known);
    }
    case ParamKind::kFlag:
      if (text == "true" || text == "false") return nlohmann::json(text == "true");
      return base::invalid("'" + text.substr(0, 60) + "' is neither true nor false");
  }
  return base::internal("a parameter of an unknown kind");
}

}  // namespace

base::Result<core::ProbeRequest> requestFromTexts(const fleetmark::probes::ProbeSpec& spec,
                                                  const std::map<std::string, std::string>& texts) {
  nlohmann::json params = nlohmann::json::object();
  nlohmann::json placement = nlohmann::json::object();
  for (const auto& param : spec.params) {
    auto given = texts.find(std::string(param.name));
    auto value =
        valueOf(param, given != texts.end() ? given->second : std::string(param.defaultText));
    if (!value) {
      return base::invalid("parameter '" + std::string(param.name) + "' of probe '" +
                           std::string(spec.name) + "': " + value.error().message);
    }
    auto& part = param.part == ParamPart::kProfile ? params : placement;
    part[fleetmark::probes::jsonKey(param)] = *std::move(value);
  }
  return core::ProbeRequest{std::string(spec.name), spec.protocol, params.dump(), placement.dump()};
}

}  // namespace fleetmark::agent::cli
