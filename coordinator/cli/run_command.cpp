// fleetmark run: a private fleet, one campaign, a report, and nothing left behind.
#include <cstdio>

#include "common/base/random.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "coordinator/cli/commands.h"
#include "coordinator/cli/output.h"
#include "coordinator/cli/private_fleet.h"
#include "coordinator/domain/planner.h"
#include "coordinator/loader/campaign_loader.h"

namespace fleetmark::coordinator::cli {

namespace {

constexpr std::size_t kMostAgents = 64;
constexpr auto kCancelPatience = std::chrono::seconds(20);

// A line of the head, for people only.
void headLine(const Command& command, const char* key, const std::string& text) {
  if (command.format == Format::kText) std::printf("%-9s %s\n", key, text.c_str());
}

void printHead(const Command& command, const model::Plan& plan, std::size_t agents) {
  if (command.format != Format::kText) return;
  std::size_t steps = 0;
  for (const auto& job : plan.jobs) steps += job.steps.size();
  auto estimate = std::chrono::ceil<std::chrono::seconds>(plan.estimateOneMachine);
  std::vector<std::vector<std::string>> lines;
  lines.push_back({"campaign", plan.spec.name,
                   counted(plan.spec.runners.size(), "runner") + " x " +
                       counted(plan.spec.probes.size(), "probe") + ", " + counted(steps, "step") +
                       ", about " + base::formatDuration(estimate)});
  lines.push_back(
      {"fleet", "private",
       "PostgreSQL, a coordinator and " + counted(agents, "agent") + " on this machine"});
  for (const auto& use : plan.spec.probes) {
    lines.push_back(
        {"profile", use.profile.probe + "  " + use.profile.fingerprint, paramsAtAGlance(use)});
  }
  // textTable aligns rows under a header; the first line takes its place.
  std::vector<std::string> first = lines.front();
  lines.erase(lines.begin());
  printOut(textTable(first, lines) + "\n");
}

// What went wrong in the fleet itself: its logs are kept beside the report.
void keepLogs(const PrivateFleet& fleet, const std::string& out) {
  if (auto made = platform::makeFolder(out + "/logs"); !made) {
    std::fprintf(stderr, "the logs can't be kept: %s\n", made.error().message.c_str());
    return;
  }
  for (const auto& [name, text] : fleet.logs()) {
    std::string path = out + "/logs/" + name + ".log";
    if (platform::writePublicFile(path, text)) {
      std::fprintf(stderr, "log kept: %s\n", path.c_str());
    }
  }
}

// After Ctrl-C: the campaign is cancelled and given a moment to end, so that the report shows what
// was measured until then. A second Ctrl-C does not wait.
void cancelAndSettle(PrivateFleet& fleet, const base::Clock& clock, const std::string& campaign) {
  std::fputs("\nstopping: the campaign is cancelled (Ctrl-C again: at once)\n", stderr);
  int signals = platform::StopSignal::count();
  if (!fleet.port().cancel(campaign)) return;
  auto deadline = clock.mono() + kCancelPatience;
  std::string cursor;
  while (clock.mono() < deadline && platform::StopSignal::count() == signals) {
    auto status = fleet.port().status(campaign);
    if (!status || domain::isTerminal(status->summary.state)) return;
    auto events = fleet.port().watch(status->summary.id, cursor, std::chrono::milliseconds(200));
    if (!events) return;
    if (!events->empty()) cursor = events->back().cursor;
  }
}

ExitCode finishRun(const Command& command, PrivateFleet& fleet, const std::string& campaign,
                   const std::vector<model::RunnerSpec>& runners, const std::string& out,
                   ExitCode code) {
  auto paths = writeReports(fleet.port(), campaign, ports::allReportFormats(), out);
  if (!paths) {
    keepLogs(fleet, out);
    return fail(command, paths.error());
  }
  auto status = fleet.port().status(campaign);
  if (status && command.format == Format::kText) {
    printOut("\n" + report::totalsLine(status->summary) + "\n");
  }
  if (status && code == ExitCode::kAllMeasured) code = exitCodeOf(status->summary);
  if (code == ExitCode::kInfrastructure) keepLogs(fleet, out);
  if (command.format == Format::kJson) {
    printOut(runJson(campaign, static_cast<int>(code), *paths));
  } else {
    for (const auto& path : *paths) headLine(command, "report", path);
    if (runners.size() > 1) {
      headLine(command, "next",
               "fleetmark compare " + out + " " + runners[0].name + " " + runners[1].name);
    }
  }
  return code;
}

}  // namespace

ExitCode runCommand(const Command& command, const RunArguments& arguments) {
  auto text = readCampaignFile(arguments.campaign.file);
  if (!text) return fail(command, text.error());
  auto variables = parseAssignments(arguments.campaign.assignments);
  if (!variables) return fail(command, variables.error());
  auto spec = loader::loadCampaign(*text, arguments.campaign.file, *variables,
                                   base::secureRandomSeed() >> 1);
  if (!spec) return fail(command, spec.error());
  auto plan = domain::makePlan(std::move(*spec));
  if (!plan) return fail(command, plan.error());

  PrivateFleetOptions options;
  options.agents = arguments.agents > 0 ? arguments.agents : plan->spec.runners.size();
  options.programFolder = command.programFolder;
  if (options.agents > kMostAgents) {
    return fail(command, base::invalid(std::to_string(options.agents) +
                                       " agents on one machine; --agents takes at most " +
                                       std::to_string(kMostAgents)));
  }
  std::string out = arguments.out.empty() ? "out/" + plan->spec.name : arguments.out;
  printHead(command, *plan, options.agents);

  auto fleet = PrivateFleet::start(options, command.connect, command.clock);
  if (!fleet) {
    if (platform::StopSignal::requested()) return ExitCode::kInterrupted;
    return fail(command, {base::ErrorCode::kUnavailable,
                          "the private fleet did not start: " + fleet.error().message});
  }
  ports::SubmitOptions submit;
  submit.yaml = std::move(*text);
  submit.fileName = arguments.campaign.file;
  submit.variables = std::move(*variables);
  submit.requestKey = base::newUuid().toString();
  auto id = (*fleet)->port().submit(submit);
  if (!id) return fail(command, id.error());
  std::string campaign = std::to_string(id->value);

  WatchView view = makeView(command);
  Watcher watcher{(*fleet)->port(), command.clock, view, &platform::StopSignal::requested};
  auto last = followCampaign(watcher, *id);
  const auto& runners = plan->spec.runners;
  if (last) return finishRun(command, **fleet, campaign, runners, out, ExitCode::kAllMeasured);
  if (platform::StopSignal::requested()) {
    view.finish();
    cancelAndSettle(**fleet, command.clock, campaign);
    return finishRun(command, **fleet, campaign, runners, out, ExitCode::kInterrupted);
  }
  auto health = (*fleet)->healthy();
  keepLogs(**fleet, out);
  return fail(command, health ? last.error() : health.error());
}

}  // namespace fleetmark::coordinator::cli
