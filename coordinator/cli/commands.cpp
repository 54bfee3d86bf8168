#include "coordinator/cli/commands.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <iterator>

#include "common/base/random.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "common/platform/terminal.h"
#include "coordinator/cli/enrolment.h"
#include "coordinator/cli/output.h"
#include "coordinator/domain/planner.h"
#include "coordinator/loader/campaign_loader.h"

namespace fleetmark::coordinator::cli {

namespace {

constexpr std::size_t kMaxCampaign = 1024 * 1024;

}  // namespace

base::Result<std::unique_ptr<ports::OperatorPort>> connectTo(const Command& command) {
  FM_TRY_ASSIGN(auto connection, resolveConnection(command.connection));
  return command.connect(connection);
}

void printOut(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

ExitCode fail(const Command& command, const base::Error& error) {
  if (command.format == Format::kJson) printOut(errorJson(error));
  std::string text = error.message;
  if (text.empty() || text.back() != '\n') text += '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
  return exitCodeOf(error);
}

base::Result<std::string> readCampaignFile(const std::string& file) {
  if (file != "-") return platform::readFile(file, kMaxCampaign);
  std::string text;
  char buffer[65536];
  while (std::cin.read(buffer, sizeof buffer) || std::cin.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(std::cin.gcount()));
    if (text.size() > kMaxCampaign) {
      return base::invalid("standard input holds over 1 MiB; a campaign may have at most that");
    }
  }
  return text;
}

base::Result<std::map<std::string, std::string>> parseAssignments(
    const std::vector<std::string>& assignments) {
  std::map<std::string, std::string> out;
  for (const auto& text : assignments) {
    auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return base::invalid("--set " + text + ": write name=value");
    }
    if (!out.emplace(text.substr(0, equals), text.substr(equals + 1)).second) {
      return base::invalid("--set " + text.substr(0, equals) + " is given twice");
    }
  }
  return out;
}

base::Result<model::Plan> loadPlan(const FileArguments& arguments) {
  FM_TRY_ASSIGN(std::string text, readCampaignFile(arguments.file));
  FM_TRY_ASSIGN(auto variables, parseAssignments(arguments.assignments));
  FM_TRY_ASSIGN(auto spec, loader::loadCampaign(text, arguments.file, variables,
                                                base::secureRandomSeed() >> 1));
  return domain::makePlan(std::move(spec));
}

base::Result<std::vector<std::string>> writeReports(ports::OperatorPort& port,
                                                    const std::string& campaign,
                                                    const std::vector<ports::ReportFormat>& formats,
                                                    const std::string& folder) {
  std::vector<std::string> paths;
  FM_TRY(platform::makeFolder(folder));
  for (auto format : formats) {
    FM_TRY_ASSIGN(auto report, port.report(campaign, format));
    // The name comes from a peer: it must not lead out of the folder.
    if (report.name.empty() || report.name.find('/') != std::string::npos ||
        report.name[0] == '.') {
      return base::internal("the coordinator named a report '" + report.name.substr(0, 40) + "'");
    }
    std::string path = folder + "/" + report.name;
    FM_TRY(platform::writePublicFile(path, report.content));
    paths.push_back(std::move(path));
  }
  return paths;
}

WatchView makeView(const Command& command) {
  if (command.format == Format::kJson) return WatchView(WatchStyle::kJson, {});
  bool terminal = platform::isTerminal(platform::Stream::kOut);
  const char* noColour = std::getenv("NO_COLOR");
  report::TerminalStyle style;
  style.width = platform::terminalWidth(platform::Stream::kOut, 100);
  bool colour = terminal && (noColour == nullptr || *noColour == '\0');
  style.colour = colour ? report::Colour::kAnsi : report::Colour::kNever;
  return WatchView(terminal ? WatchStyle::kBlock : WatchStyle::kLines, style);
}

ExitCode validateCommand(const Command& command, const FileArguments& arguments) {
  auto plan = loadPlan(arguments);
  if (!plan) return fail(command, plan.error());
  if (command.format == Format::kJson) {
    printOut(planJson(*plan));
  } else {
    printOut(arguments.file + ": good, " + counted(plan->jobs.size(), "job") + "\n");
  }
  return ExitCode::kAllMeasured;
}

ExitCode planCommand(const Command& command, const FileArguments& arguments) {
  auto plan = loadPlan(arguments);
  if (!plan) return fail(command, plan.error());
  printOut(command.format == Format::kJson ? planJson(*plan) : planText(*plan));
  return ExitCode::kAllMeasured;
}

ExitCode submitCommand(const Command& command, const SubmitArguments& arguments) {
  auto text = readCampaignFile(arguments.campaign.file);
  if (!text) return fail(command, text.error());
  auto variables = parseAssignments(arguments.campaign.assignments);
  if (!variables) return fail(command, variables.error());
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  ports::SubmitOptions options;
  options.yaml = std::move(*text);
  options.fileName = arguments.campaign.file;
  options.variables = std::move(*variables);
  options.wait = arguments.wait;
  // A key of our own makes a submit that is sent again after a lost answer harmless.
  options.requestKey =
      arguments.requestKey.empty() ? base::newUuid().toString() : arguments.requestKey;
  auto id = (*port)->submit(options);
  if (!id) return fail(command, id.error());
  std::string number = std::to_string(id->value);
  if (command.format == Format::kJson) {
    printOut("{\"campaign_id\": " + number + "}\n");
  } else {
    printOut("campaign " + number + " submitted\n");
    if (!arguments.follow) printOut("watch it: fleetmark watch " + number + "\n");
  }
  if (!arguments.follow) return ExitCode::kAllMeasured;
  return watchCommand(command, number);
}

ExitCode watchCommand(const Command& command, const std::string& campaign) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto first = (*port)->status(campaign);
  if (!first) return fail(command, first.error());
  WatchView view = makeView(command);
  Watcher watcher{**port, command.clock, view, &platform::StopSignal::requested};
  auto last = followCampaign(watcher, first->summary.id);
  if (!last) {
    if (platform::StopSignal::requested()) {
      std::fprintf(stderr,
                   "\nstopped watching; the campaign goes on. Watch it again: fleetmark watch "
                   "%s\nEnd it: fleetmark cancel %s\n",
                   campaign.c_str(), campaign.c_str());
      return ExitCode::kInterrupted;
    }
    return fail(command, last.error());
  }
  if (command.format == Format::kJson) {
    printOut(statusJson(*last));
  } else {
    printOut(report::totalsLine(last->summary) + "\n");
  }
  return exitCodeOf(last->summary);
}

ExitCode statusCommand(const Command& command, const std::string& campaign) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  bool json = command.format == Format::kJson;
  if (campaign.empty()) {
    auto campaigns = (*port)->list(50);
    if (!campaigns) return fail(command, campaigns.error());
    printOut(json ? summariesJson(*campaigns) : summariesText(*campaigns));
    return ExitCode::kAllMeasured;
  }
  auto status = (*port)->status(campaign);
  if (!status) return fail(command, status.error());
  if (json) {
    printOut(statusJson(*status));
  } else {
    report::TerminalStyle style;
    style.width = platform::terminalWidth(platform::Stream::kOut, 100);
    printOut("campaign " + std::to_string(status->summary.id.value) + "  " + status->summary.name +
             "  " + stateText(status->summary) + "\n");
    printOut(report::terminalSummary(status->summary, status->steps, style));
  }
  return ExitCode::kAllMeasured;
}

ExitCode cancelCommand(const Command& command, const std::string& campaign) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto state = (*port)->cancel(campaign);
  if (!state) return fail(command, state.error());
  std::string word(domain::toString(*state));
  if (command.format == Format::kJson) {
    printOut("{\"state\": \"" + word + "\"}\n");
  } else if (*state == domain::CampaignState::kDone) {
    printOut("the campaign had ended before: " + word + "\n");
  } else {
    printOut("the campaign is " + word +
             (domain::isTerminal(*state) ? "\n" : "; what runs now is being stopped\n"));
  }
  return ExitCode::kAllMeasured;
}

ExitCode reportCommand(const Command& command, const ReportArguments& arguments) {
  std::vector<ports::ReportFormat> formats;
  if (arguments.format == "all") {
    formats = ports::allReportFormats();
  } else if (auto format = ports::parseReportFormat(arguments.format)) {
    formats = {*format};
  } else {
    return fail(command, base::invalid("--format " + arguments.format +
                                       " is unknown; known: md, html, json, csv, all"));
  }
  if (formats.size() > 1 && arguments.out.empty()) {
    return fail(command, base::invalid("--format all needs --out FOLDER"));
  }
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  if (arguments.out.empty()) {
    auto report = (*port)->report(arguments.campaign, formats[0]);
    if (!report) return fail(command, report.error());
    printOut(report->content);
    return ExitCode::kAllMeasured;
  }
  auto paths = writeReports(**port, arguments.campaign, formats, arguments.out);
  if (!paths) return fail(command, paths.error());
  for (const auto& path : *paths) printOut(path + "\n");
  return ExitCode::kAllMeasured;
}

ExitCode agentsCommand(const Command& command) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto agents = (*port)->agents();
  if (!agents) return fail(command, agents.error());
  printOut(command.format == Format::kJson ? agentsJson(*agents)
                                           : agentsText(*agents, command.clock.wall()));
  return ExitCode::kAllMeasured;
}

ExitCode sqlCommand(const Command& command, const SqlArguments& arguments) {
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto table = (*port)->sql(arguments.statement, arguments.maxRows);
  if (!table) return fail(command, table.error());
  switch (command.format) {
    case Format::kText:
      printOut(tableText(*table));
      break;
    case Format::kJson:
      printOut(tableJson(*table));
      break;
    case Format::kCsv:
      printOut(tableCsv(*table));
      break;
  }
  if (table->truncated) {
    std::fprintf(stderr, "only the first %zu rows; ask for more with --rows\n", table->rows.size());
  }
  return ExitCode::kAllMeasured;
}

ExitCode enrollCommand(const Command& command, const EnrollArguments& arguments) {
  ports::Role role = ports::Role::kAgent;
  if (arguments.role == "operator") {
    role = ports::Role::kOperator;
  } else if (arguments.role != "agent") {
    return fail(command, base::invalid("enroll " + arguments.role +
                                       ": a certificate is for an 'agent' or an 'operator'"));
  }
  auto port = connectTo(command);
  if (!port) return fail(command, port.error());
  auto subject = enrollInto(**port, role, arguments.name, arguments.out);
  if (!subject) return fail(command, subject.error());
  if (command.format == Format::kJson) {
    printOut("{\"subject\": \"" + *subject + "\"}\n");
  } else {
    printOut(arguments.role + " " + arguments.name + " enrolled; its identity stands in " +
             arguments.out + "\n");
  }
  return ExitCode::kAllMeasured;
}

}  // namespace fleetmark::coordinator::cli
