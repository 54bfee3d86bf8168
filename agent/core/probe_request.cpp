#include "agent/core/probe_request.h"

#include <nlohmann/json.hpp>

namespace fleetmark::agent::core {

using nlohmann::json;

base::Result<std::string> encodeProbeRequest(const ProbeRequest& request) {
  json params = json::parse(request.paramsJson, nullptr, false);
  json placement = json::parse(request.placementJson, nullptr, false);
  if (!params.is_object() || !placement.is_object()) {
    return base::invalid("the parameters of probe '" + request.probe + "' are no JSON object");
  }
  json out = {{"probe", request.probe},
              {"protocol", request.protocol},
              {"params", std::move(params)},
              {"placement", std::move(placement)}};
  std::string text = out.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > kMaxProbeRequest) {
    return base::invalid("the parameters of probe '" + request.probe + "' take " +
                         std::to_string(text.size()) + " bytes, at most " +
                         std::to_string(kMaxProbeRequest) + " can be handed to it");
  }
  return text;
}

base::Result<ProbeRequest> decodeProbeRequest(std::string_view text) {
  json in = json::parse(text, nullptr, false);
  if (!in.is_object() || !in.contains("probe") || !in["probe"].is_string() ||
      !in.contains("protocol") || !in["protocol"].is_number_integer() || !in.contains("params") ||
      !in["params"].is_object() || !in.contains("placement") || !in["placement"].is_object()) {
    return base::invalid(
        "standard input is no probe request: one JSON object with probe, protocol, params and "
        "placement is expected");
  }
  return ProbeRequest{in["probe"].get<std::string>(), in["protocol"].get<std::int64_t>(),
                      in["params"].dump(), in["placement"].dump()};
}

}  // namespace fleetmark::agent::core
