#include <nlohmann/json.hpp>

#include "coordinator/loader/campaign_loader.h"

namespace fleetmark::coordinator::loader {

std::string canonicalSpecJson(const model::CampaignSpec& spec) {
  using nlohmann::json;
  json runners = json::array();
  for (const auto& runner : spec.runners) {
    runners.push_back({{"name", runner.name},
                       {"provider", runner.provider},
                       {"match", json(runner.match)},
                       {"labels", json(runner.labels)}});
  }
  json probes = json::array();
  for (const auto& use : spec.probes) {
    probes.push_back({{"probe", use.profile.probe},
                      {"protocol", use.profile.protocol},
                      {"fingerprint", use.profile.fingerprint},
                      {"params", json::parse(use.paramsJson, nullptr, false)},
                      {"placement", json::parse(use.placementJson, nullptr, false)},
                      {"on", use.on},
                      {"estimate_ns", use.estimate.count()},
                      {"limit_ns", use.timeLimit.count()},
                      {"samples", use.requestedSamples}});
  }
  json out{{"campaign", spec.name},
           {"description", spec.description},
           {"runners", runners},
           {"probes", probes},
           {"order", std::string(model::toString(spec.order))},
           {"seed", spec.seed},
           {"seed_given", spec.seedGiven},
           {"limits",
            {{"job_ns", spec.jobLimit.count()}, {"no_progress_ns", spec.noProgressLimit.count()}}},
           {"report", {{"title", spec.title}, {"publish", spec.publish}}}};
  if (spec.quiet) {
    bool fail = spec.quiet->otherwise == model::QuietOtherwise::kFail;
    out["quiet"] = {{"load_per_cpu", spec.quiet->loadPerCpu},
                    {"wait_ns", spec.quiet->wait.count()},
                    {"otherwise", fail ? "fail" : "mark"}};
  }
  return out.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace fleetmark::coordinator::loader
