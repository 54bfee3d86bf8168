#include "tests/chaos/injector.h"

#include <signal.h>

#include <exception>

namespace fleetmark::chaos {

namespace {

constexpr auto kDelay = std::chrono::milliseconds(300);
constexpr int kSessions = 6;

void cut(support::TcpProxy& proxy) {
  proxy.refuse();
  proxy.cutAll();
}
void stall(support::TcpProxy& proxy) { proxy.stall(); }
void pass(support::TcpProxy& proxy) { proxy.pass(); }
void delay(support::TcpProxy& proxy) { proxy.delay(kDelay); }
void halfClose(support::TcpProxy& proxy) { proxy.halfClose(); }

}  // namespace

std::string Injector::begin(const Fault& fault) {
  Links& links = fleet_.links();
  switch (fault.kind) {
    case FaultKind::kAgentKill:
      fleet_.agent(fault.target).kill();
      return {};
    case FaultKind::kAgentStop:
      fleet_.agent(fault.target).signal(SIGSTOP);
      return {};
    case FaultKind::kAgentRestart:
      fleet_.agent(fault.target).terminate();
      return {};
    case FaultKind::kCoordinatorKill:
      fleet_.coordinator(fault.target).kill();
      return {};
    case FaultKind::kCoordinatorStop:
      fleet_.coordinator(fault.target).signal(SIGSTOP);
      return {};
    case FaultKind::kPostmasterKill:
    case FaultKind::kFailover:
      fleet_.databases().killPrimary();
      return {};
    case FaultKind::kBackendKill:
      return fleet_.databases().killBackend() ? "" : "there is no session";
    case FaultKind::kBackendTerminate:
      return std::to_string(fleet_.databases().terminateBackends(kSessions)) + " sessions";
    case FaultKind::kStandbyKill:
      fleet_.databases().killStandby();
      return {};
    case FaultKind::kAgentCut:
      links.ofAgent(fault.target, cut);
      return {};
    case FaultKind::kAgentBlackHole:
      links.ofAgent(fault.target, stall);
      return {};
    case FaultKind::kAgentDelay:
      links.ofAgent(fault.target, delay);
      return {};
    case FaultKind::kAgentHalfClose:
      links.ofAgent(fault.target, halfClose);
      return {};
    case FaultKind::kCoordinatorCut:
      links.ofCoordinator(fault.target, cut);
      return {};
    case FaultKind::kCoordinatorBlackHole:
      links.ofCoordinator(fault.target, stall);
      return {};
    case FaultKind::kDatabaseCut:
      links.ofDatabase(fault.target, cut);
      return {};
    case FaultKind::kDatabaseBlackHole:
      links.ofDatabase(fault.target, stall);
      return {};
    case FaultKind::kDatabaseDelay:
      links.ofDatabase(fault.target, delay);
      return {};
    case FaultKind::kDiskFull:
      if (!fleet_.hasSmallDisk()) return "skipped: " + fleet_.noSmallDiskReason();
      fleet_.fillDisk();
      return {};
    case FaultKind::kCampaignCancel:
      operator_.cancelOne();
      return {};
  }
  return {};
}

void Injector::end(const Fault& fault) {
  Links& links = fleet_.links();
  switch (fault.kind) {
    case FaultKind::kAgentKill:
      fleet_.agent(fault.target).start();
      return;
    case FaultKind::kAgentStop:
      fleet_.agent(fault.target).signal(SIGCONT);
      return;
    case FaultKind::kAgentRestart:
      fleet_.agent(fault.target).start();
      return;
    case FaultKind::kCoordinatorKill:
      fleet_.coordinator(fault.target).start();
      return;
    case FaultKind::kCoordinatorStop:
      fleet_.coordinator(fault.target).signal(SIGCONT);
      return;
    case FaultKind::kPostmasterKill:
      fleet_.databases().restartPrimary();
      return;
    case FaultKind::kFailover:
      fleet_.databases().promoteStandby();
      fleet_.databases().makeStandby();
      return;
    case FaultKind::kStandbyKill:
      fleet_.databases().restartStandby();
      return;
    case FaultKind::kBackendKill:
    case FaultKind::kBackendTerminate:
    case FaultKind::kCampaignCancel:
      return;
    case FaultKind::kAgentCut:
    case FaultKind::kAgentBlackHole:
    case FaultKind::kAgentDelay:
    case FaultKind::kAgentHalfClose:
      links.ofAgent(fault.target, pass);
      return;
    case FaultKind::kCoordinatorCut:
    case FaultKind::kCoordinatorBlackHole:
      links.ofCoordinator(fault.target, pass);
      return;
    case FaultKind::kDatabaseCut:
    case FaultKind::kDatabaseBlackHole:
    case FaultKind::kDatabaseDelay:
      links.ofDatabase(fault.target, pass);
      return;
    case FaultKind::kDiskFull:
      if (fleet_.hasSmallDisk()) fleet_.freeDisk();
      return;
  }
}

}  // namespace fleetmark::chaos
