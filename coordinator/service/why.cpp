#include "coordinator/service/why.h"

#include <charconv>
#include <string_view>

#include "coordinator/domain/why.h"
#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

namespace {

struct NamedJob {
  std::int64_t id = 0;
  ports::JobRef ref = ports::JobRef::kJob;
};

base::Result<NamedJob> parseJob(const std::string& text) {
  NamedJob out;
  std::string_view rest = text;
  if (rest.starts_with("step ")) {
    out.ref = ports::JobRef::kStep;
    rest.remove_prefix(5);
  }
  auto end = std::from_chars(rest.data(), rest.data() + rest.size(), out.id);
  if (end.ec != std::errc() || end.ptr != rest.data() + rest.size() || out.id <= 0) {
    return base::invalid("'" + text.substr(0, 80) +
                         "' names no job: write its number, or 'step' and a step's number; "
                         "fleetmark status CAMPAIGN --json shows both");
  }
  return out;
}

void addReasons(const domain::WhyAnswer& answer, ports::StepReasons& step) {
  for (const auto& reason : answer.reasons) {
    step.constraints.push_back(
        {std::string(domain::toString(reason.kind)), reason.met == domain::Met::kYes, reason.text});
  }
  step.estimate = answer.estimate;
}

}  // namespace

base::Result<ports::JobReasons> why(ports::Database& database, const Settings& settings,
                                    const std::string& job) {
  FM_TRY_ASSIGN(auto named, parseJob(job));
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<ports::JobReasons> {
                  FM_TRY_ASSIGN(auto out, unit.campaigns().job(named.id, named.ref));
                  FM_TRY_ASSIGN(auto facts, unit.campaigns().whyFacts(out.campaign, out.job,
                                                                      settings.onlineWindow));
                  domain::Why why(facts);
                  for (auto& step : out.steps) {
                    for (const auto& waiting : facts.steps) {
                      if (waiting.step != step.step) continue;
                      step.state = waiting.state;
                      addReasons(why.explain(waiting), step);
                    }
                  }
                  return out;
                });
}

}  // namespace fleetmark::coordinator::service
