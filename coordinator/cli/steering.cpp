// The verbs that hold work back and let it go on: of a campaign, and of an agent.
#include "coordinator/cli/commands.h"
#include "coordinator/cli/output.h"

namespace fleetmark::coordinator::cli {

namespace {

ExitCode tellState(const Command& command, const base::Result<domain::CampaignState>& state,
                   const std::string& sentence) {
  if (!state) return fail(command, state.error());
  if (command.format == Format::kJson) {
    printOut("{\"state\": \"" + std::string(domain::toString(*state)) + "\"}\n");
  } else {
    printOut(sentence + "\n");
  }
  return ExitCode::kAllMeasured;
}

std::string sentenceAbout(const ports::AgentView& agent, ports::AgentWish wish) {
  switch (wish) {
    case ports::AgentWish::kDrain:
      return agent.name + " takes no more work" +
             (agent.doing.empty() ? "" : "; it finishes " + agent.doing) +
             "; to let it work again: fleetmark undrain " + agent.name;
    case ports::AgentWish::kUndrain:
    case ports::AgentWish::kRelease:
      return agent.reason.empty() ? agent.name + " is " + agent.state + " and may take work"
                                  : agent.name + " still takes no work: " + agent.reason;
  }
  return {};
}

}  // namespace

ExitCode pauseCommand(const Command& command, const std::string& campaign) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  return tellState(command, (*port)->pause(campaign),
                   "the campaign is paused; what runs goes on to its end. Go on with: fleetmark "
                   "resume " +
                       campaign);
}

ExitCode resumeCommand(const Command& command, const std::string& campaign) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  return tellState(command, (*port)->resume(campaign), "the campaign goes on");
}

ExitCode setAgentCommand(const Command& command, const std::string& agent, ports::AgentWish wish) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto view = (*port)->setAgent(agent, wish);
  if (!view) return fail(command, view.error());
  printOut(command.format == Format::kJson ? agentJson(*view) : sentenceAbout(*view, wish) + "\n");
  return ExitCode::kAllMeasured;
}

}  // namespace fleetmark::coordinator::cli
