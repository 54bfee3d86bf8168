#include "coordinator/service/work.h"

#include <algorithm>

#include "coordinator/service/unit.h"

namespace fleetmark::coordinator::service {

base::Result<std::optional<model::Assignment>> takeWork(ports::Database& database,
                                                        const Settings& settings,
                                                        const ports::Registration& who) {
  ports::ClaimRequest request;
  request.agent = who.agent;
  request.session = who.session;
  request.leaseTtl = settings.leaseTtl;
  return inUnit(database, ports::Durability::kSynchronous,
                [&request](ports::UnitOfWork& unit) { return unit.queue().claim(request); });
}

namespace {

// Claims that find nothing although something due fits the agent (its machine is busy, the host
// relation is another): so many in a round.
constexpr std::size_t kMostRefused = 32;

ports::ReadyWork* fitting(std::vector<ports::ReadyWork>& ready, const Taker& taker) {
  for (auto& work : ready) {
    if (work.steps == 0 || !model::labelsMatch(work.match, taker.labels)) continue;
    auto known = std::find(taker.probes.begin(), taker.probes.end(), work.capability);
    if (known != taker.probes.end()) return &work;
  }
  return nullptr;
}

}  // namespace

base::Result<std::vector<HandedOut>> handOut(ports::Database& database, const Settings& settings,
                                             std::span<const std::shared_ptr<const Taker>> takers,
                                             std::size_t first) {
  using Out = std::vector<HandedOut>;
  return inUnit(
      database, ports::Durability::kSynchronous, [&](ports::UnitOfWork& unit) -> base::Result<Out> {
        Out out;
        FM_TRY_ASSIGN(auto ready, unit.queue().readyWork());
        if (ready.empty()) return out;
        std::size_t refused = 0;
        std::size_t next = 0;
        while (refused < kMostRefused) {
          std::vector<std::size_t> places;
          std::vector<ports::ReadyWork*> meant;
          std::vector<ports::ClaimRequest> requests;
          for (; next < takers.size() && out.size() + places.size() < kMostHandedOut; ++next) {
            const std::size_t place = (first + next) % takers.size();
            const Taker& taker = *takers[place];
            auto* work = fitting(ready, taker);
            if (work == nullptr) continue;
            --work->steps;
            places.push_back(place);
            meant.push_back(work);
            requests.push_back({taker.who.agent, taker.who.session, settings.leaseTtl});
          }
          if (requests.empty()) break;
          FM_TRY_ASSIGN(auto taken, unit.queue().claimEach(requests));
          for (std::size_t i = 0; i < taken.size(); ++i) {
            if (taken[i]) {
              out.push_back({places[i], std::move(*taken[i])});
            } else {
              ++meant[i]->steps;
              ++refused;
            }
          }
        }
        return out;
      });
}

base::Result<std::string> whyNoWork(ports::Database& database, const Settings& settings,
                                    const ports::Registration& who) {
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<std::string> {
                  FM_TRY_ASSIGN(auto agent, unit.agents().view(who.agent, settings.onlineWindow));
                  return agent.reason.empty() ? "nothing is ready for this agent"
                                              : "this agent is given no work: " + agent.reason;
                });
}

base::Result<std::vector<model::RenewAnswer>> renew(ports::Database& database,
                                                    const Settings& settings,
                                                    const ports::Registration& who,
                                                    std::span<const model::LeaseRef> leases) {
  using Answers = std::vector<model::RenewAnswer>;
  return inUnit(database, ports::Durability::kRelaxed,
                [&](ports::UnitOfWork& unit) -> base::Result<Answers> {
                  FM_TRY(unit.agents().heartbeat(who.agent, who.session));
                  if (leases.empty()) return Answers();
                  return unit.queue().renew(who.agent, leases, settings.leaseTtl);
                });
}

}  // namespace fleetmark::coordinator::service
