// What goes wrong when: a list that follows from the seed alone, so that it can be printed before a
// run and replayed after one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/units.h"

namespace fleetmark::chaos {

inline constexpr int kCoordinators = 3;
inline constexpr int kAgents = 6;
// Three agents with a machine each, then two on one machine, then one with a small spool disk.
inline constexpr int kMachineOf[kAgents] = {1, 2, 3, 4, 4, 5};
inline constexpr int kSmallDiskAgent = 5;

enum class FaultKind {
  kAgentKill,         // SIGKILL, started again at the end of the fault
  kAgentStop,         // SIGSTOP, SIGCONT
  kAgentRestart,      // SIGTERM, started again
  kCoordinatorKill,   // SIGKILL
  kCoordinatorStop,   // SIGSTOP, SIGCONT
  kPostmasterKill,    // SIGKILL to the primary's postmaster: crash recovery
  kBackendKill,       // SIGKILL to one session of the primary: all sessions end, crash recovery
  kBackendTerminate,  // pg_terminate_backend of sessions of coordinators
  kStandbyKill,       // SIGKILL to the standby: commits wait until it is back
  kAgentCut,          // an agent's network: connections cut, none let through
  kAgentBlackHole,    // nothing passes, nothing is closed
  kAgentDelay,        // everything passes late
  kAgentHalfClose,    // coordinators hear that the agent has ended, the agent hears nothing
  kCoordinatorCut,    // the same between one coordinator and all agents and operators
  kCoordinatorBlackHole,
  kDatabaseCut,  // between one coordinator and PostgreSQL
  kDatabaseBlackHole,
  kDatabaseDelay,
  kDiskFull,        // no space in an agent's spool
  kCampaignCancel,  // one that is under way
  kFailover,        // the primary is killed for ever, the standby promoted, a new one made
};

struct Fault {
  FaultKind kind;
  base::Nanos at{0};     // after the beginning
  base::Nanos lasts{0};  // zero: an instant
  int target = 0;        // number of the agent or coordinator, from 0
};

std::string_view toString(FaultKind kind);
// "#12 at 34.5s: agent_kill a3 for 1.2s"
std::string describe(const Fault& fault, std::size_t number);

// True where both would be done to the same thing.
bool sameTarget(const Fault& a, const Fault& b);

// By beginning. Two faults of one plan never have the same target at the same time.
std::vector<Fault> makePlan(std::uint64_t seed, int faults);

}  // namespace fleetmark::chaos
