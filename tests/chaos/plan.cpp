#include "tests/chaos/plan.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "common/base/random.h"

namespace fleetmark::chaos {

namespace {

using base::Nanos;
using std::chrono::milliseconds;
using std::chrono::seconds;

// What a fault keeps to itself while it lasts.
enum class Scope {
  kAgent,
  kCoordinator,
  kDatabase,
  kAgentLink,
  kCoordinatorLink,
  kDatabaseLink,
  kDisk,
  kCampaign
};

struct Kind {
  FaultKind kind;
  std::string_view name;
  Scope scope;
  int weight;
  Nanos least;
  Nanos most;
};

constexpr std::array kKinds{
    Kind{FaultKind::kAgentKill, "agent_kill", Scope::kAgent, 14, milliseconds(100), seconds(3)},
    Kind{FaultKind::kAgentStop, "agent_stop", Scope::kAgent, 9, milliseconds(300), seconds(5)},
    Kind{FaultKind::kAgentRestart, "agent_restart", Scope::kAgent, 3, seconds(1), seconds(3)},
    Kind{FaultKind::kCoordinatorKill, "coordinator_kill", Scope::kCoordinator, 10,
         milliseconds(100), seconds(3)},
    Kind{FaultKind::kCoordinatorStop, "coordinator_stop", Scope::kCoordinator, 6, milliseconds(300),
         seconds(5)},
    Kind{FaultKind::kPostmasterKill, "postmaster_kill", Scope::kDatabase, 4, milliseconds(100),
         seconds(2)},
    Kind{FaultKind::kBackendKill, "backend_kill", Scope::kDatabase, 4, seconds(1), seconds(2)},
    Kind{FaultKind::kBackendTerminate, "backend_terminate", Scope::kDatabase, 7, milliseconds(100),
         milliseconds(200)},
    Kind{FaultKind::kStandbyKill, "standby_kill", Scope::kDatabase, 3, milliseconds(100),
         seconds(3)},
    Kind{FaultKind::kAgentCut, "agent_cut", Scope::kAgentLink, 7, milliseconds(100), seconds(5)},
    Kind{FaultKind::kAgentBlackHole, "agent_black_hole", Scope::kAgentLink, 6, milliseconds(100),
         seconds(5)},
    Kind{FaultKind::kAgentDelay, "agent_delay", Scope::kAgentLink, 4, milliseconds(500),
         seconds(5)},
    Kind{FaultKind::kAgentHalfClose, "agent_half_close", Scope::kAgentLink, 5, milliseconds(100),
         seconds(2)},
    Kind{FaultKind::kCoordinatorCut, "coordinator_cut", Scope::kCoordinatorLink, 4,
         milliseconds(100), seconds(5)},
    Kind{FaultKind::kCoordinatorBlackHole, "coordinator_black_hole", Scope::kCoordinatorLink, 3,
         milliseconds(100), seconds(5)},
    Kind{FaultKind::kDatabaseCut, "database_cut", Scope::kDatabaseLink, 4, milliseconds(100),
         seconds(3)},
    Kind{FaultKind::kDatabaseBlackHole, "database_black_hole", Scope::kDatabaseLink, 3,
         milliseconds(100), seconds(4)},
    Kind{FaultKind::kDatabaseDelay, "database_delay", Scope::kDatabaseLink, 2, milliseconds(500),
         seconds(4)},
    Kind{FaultKind::kDiskFull, "disk_full", Scope::kDisk, 5, milliseconds(500), seconds(5)},
    Kind{FaultKind::kCampaignCancel, "campaign_cancel", Scope::kCampaign, 4, Nanos(0), Nanos(0)},
    // Never drawn: one in each hundred stands at a place of its own.
    Kind{FaultKind::kFailover, "failover", Scope::kDatabase, 0, milliseconds(500), seconds(2)},
};

constexpr Nanos kMostBetween = milliseconds(2200);  // from one beginning to the next, mean half
constexpr Nanos kRest = milliseconds(700);          // of a target after its fault
constexpr Nanos kRestOfDatabase = seconds(4);       // recovery and the standby's return

const Kind& kindOf(FaultKind kind) {
  return *std::find_if(kKinds.begin(), kKinds.end(),
                       [kind](const Kind& known) { return known.kind == kind; });
}

const Kind& draw(base::SeededRandom& random) {
  int all = 0;
  for (const auto& kind : kKinds) all += kind.weight;
  auto at = static_cast<int>(random.below(static_cast<std::uint64_t>(all)));
  for (const auto& kind : kKinds) {
    at -= kind.weight;
    if (at < 0) return kind;
  }
  return kKinds.front();
}

int drawTarget(Scope scope, base::SeededRandom& random) {
  switch (scope) {
    case Scope::kAgent:
    case Scope::kAgentLink:
      return static_cast<int>(random.below(kAgents));
    case Scope::kCoordinator:
    case Scope::kCoordinatorLink:
    case Scope::kDatabaseLink:
      return static_cast<int>(random.below(kCoordinators));
    case Scope::kDisk:
      return kSmallDiskAgent;
    case Scope::kDatabase:
    case Scope::kCampaign:
      return 0;
  }
  return 0;
}

Nanos between(Nanos least, Nanos most, base::SeededRandom& random) {
  auto span = std::chrono::duration_cast<milliseconds>(most - least).count();
  return least + milliseconds(random.below(static_cast<std::uint64_t>(span) + 1));
}

// When each target is free again.
class Calendar {
 public:
  bool free(const Kind& kind, int target, Nanos at) const {
    auto found = until_.find({kind.scope, target});
    return found == until_.end() || found->second <= at;
  }
  void take(const Kind& kind, const Fault& fault) {
    until_[{kind.scope, fault.target}] =
        fault.at + fault.lasts + (kind.scope == Scope::kDatabase ? kRestOfDatabase : kRest);
  }

 private:
  std::map<std::pair<Scope, int>, Nanos> until_;
};

}  // namespace

std::string_view toString(FaultKind kind) { return kindOf(kind).name; }

std::string describe(const Fault& fault, std::size_t number) {
  const Kind& kind = kindOf(fault.kind);
  std::string where;
  switch (kind.scope) {
    case Scope::kAgent:
    case Scope::kAgentLink:
    case Scope::kDisk:
      where = " a" + std::to_string(fault.target + 1);
      break;
    case Scope::kCoordinator:
    case Scope::kCoordinatorLink:
    case Scope::kDatabaseLink:
      where = " c" + std::to_string(fault.target + 1);
      break;
    case Scope::kDatabase:
    case Scope::kCampaign:
      break;
  }
  char at[32];
  std::snprintf(at, sizeof at, "%.1f", std::chrono::duration<double>(fault.at).count());
  std::string out = "#" + std::to_string(number) + " at " + at + "s: " + std::string(kind.name);
  out += where;
  if (fault.lasts > Nanos(0)) out += " for " + base::formatDuration(fault.lasts);
  return out;
}

bool sameTarget(const Fault& a, const Fault& b) {
  return kindOf(a.kind).scope == kindOf(b.kind).scope && a.target == b.target;
}

std::vector<Fault> makePlan(std::uint64_t seed, int faults) {
  base::SeededRandom random(seed);
  std::vector<Fault> plan;
  Calendar calendar;
  Nanos at = seconds(2);  // the fleet has begun to work
  int failover = 0;       // its place within the hundred
  while (static_cast<int>(plan.size()) < faults) {
    int place = static_cast<int>(plan.size()) % 100;
    if (place == 0) {
      int left = std::min(100, faults - static_cast<int>(plan.size()));
      failover =
          left / 3 + static_cast<int>(random.below(static_cast<std::uint64_t>(left / 3 + 1)));
    }
    at += between(milliseconds(1), kMostBetween, random);
    const Kind* kind = place == failover ? &kindOf(FaultKind::kFailover) : &draw(random);
    int target = drawTarget(kind->scope, random);
    while (!calendar.free(*kind, target, at)) {
      if (kind->kind == FaultKind::kFailover) {
        at += milliseconds(100);
        continue;
      }
      kind = &draw(random);
      target = drawTarget(kind->scope, random);
    }
    Fault fault{kind->kind, at, between(kind->least, kind->most, random), target};
    calendar.take(*kind, fault);
    plan.push_back(fault);
  }
  return plan;
}

}  // namespace fleetmark::chaos
