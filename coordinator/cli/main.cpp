// fleetmark: what a person types. The composition root of the command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "common/base/clock.h"
#include "common/base/log.h"
#include "common/base/nearest.h"
#include "common/base/version.h"
#include "common/platform/process.h"
#include "coordinator/cli/commands.h"
#include "coordinator/rpc/operator_client.h"

namespace {

using namespace fleetmark;
using namespace fleetmark::coordinator;

constexpr const char* kExamples = R"(Examples:
  fleetmark run deploy/examples/quick.yaml           a private fleet, one campaign, a report
  fleetmark submit november.yaml --watch             on the fleet that a coordinator keeps
)";

constexpr const char* kExitCodes = R"(
Exit codes: 0 all measured, 1 some measurement failed or some samples are not valid, 2 bad input,
3 infrastructure, 130 interrupted.
Environment: FLEETMARK_COORDINATOR (host:port, comma separated), FLEETMARK_IDENTITY (folder),
NO_COLOR.)";

base::Result<std::unique_ptr<ports::OperatorPort>> connect(const cli::Connection& connection) {
  rpc::OperatorClientOptions options;
  options.coordinators = connection.coordinators;
  options.caPem = connection.caPem;
  options.certificatePem = connection.certificatePem;
  options.keyPem = connection.keyPem;
  return rpc::makeOperatorClient(options);
}

std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

// The flags of each verb, filled in by CLI11.
struct Arguments {
  cli::FileArguments file;
  cli::SubmitArguments submit;
  cli::ReportArguments report;
  cli::RunArguments run;
  cli::SqlArguments sql;
  cli::CompareArguments compare;
  cli::EnrollArguments enroll;
  std::string campaign;
  std::string agent;
  std::vector<std::string> job;
  bool json = false;
  bool csv = false;
};

void addFile(CLI::App& verb, cli::FileArguments& file) {
  verb.add_option("FILE", file.file, "the campaign; - is standard input")->required();
  verb.add_option("--set", file.assignments, "value for ${name}: name=value")
      ->type_name("NAME=VALUE");
}

constexpr const char* kCompareExamples = R"(Examples:
  fleetmark compare october november             two campaigns, runner by runner
  fleetmark compare out/quick local-a local-b    two runners of a report's folder, no coordinator
)";

constexpr const char* kCompareFooter = R"(
A and B: a campaign's id or name, CAMPAIGN:RUNNER, a result.json, a report's folder, FOLDER:RUNNER.
Exit codes: 0 every row has a verdict, 1 some can't be told, 2 bad input or nothing that may be
compared, 3 infrastructure. docs/comparing.md says what a verdict means.)";

// The examples stand before everything else; as a description they would be in the list of verbs.
class ExamplesFirst final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    return std::string(kCompareExamples) + "\n" + CLI::Formatter::make_help(app, name, mode);
  }
};

std::optional<std::string> unknownVerb(const CLI::App& app) {
  if (!app.get_subcommands().empty()) return std::nullopt;
  for (const auto& word : app.remaining()) {
    if (!word.starts_with("-")) return word;
  }
  return std::nullopt;
}

std::string unknownVerbMessage(const CLI::App& app, const std::string& word) {
  std::vector<std::string> names;
  for (const auto* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(verb->get_name());
  }
  std::vector<std::string_view> known(names.begin(), names.end());
  const std::string message = "unknown command '" + word + "'";
  if (auto nearest = base::nearestName(word, known)) {
    return message + "; did you mean '" + *nearest + "'? See fleetmark --help";
  }
  return message + "; see fleetmark --help";
}

}  // namespace

int main(int argc, char** argv) {
  platform::StopSignal::install();
  base::SystemClock clock;
  base::setLogLevel(base::LogLevel::kError);
  Arguments arguments;
  cli::Command command{clock, connect, {}, cli::Format::kText, folderOf(platform::ownExecutable())};
  cli::ExitCode code = cli::ExitCode::kBadInput;

  CLI::App app(std::string(kExamples) + "\nfleetmark " + std::string(base::kVersion) +
               ": benchmarks on a fleet of machines, with figures that can be checked");
  app.footer(kExitCodes);
  app.set_version_flag("--version", std::string(base::kVersion));
  app.require_subcommand(1);
  app.fallthrough();
  app.add_option("--coordinator", command.connection.coordinators,
                 "host:port of a coordinator; several may be given")
      ->type_name("HOST:PORT");
  app.add_option("--identity", command.connection.identity,
                 "folder with certificate.pem, key.pem and ca.pem")
      ->type_name("FOLDER");
  app.add_flag("--json", arguments.json, "print JSON for scripts");

  auto verb = [&app](const char* name, const char* help) { return app.add_subcommand(name, help); };

  auto* validate = verb("validate", "check a campaign file; needs no coordinator");
  addFile(*validate, arguments.file);
  validate->callback([&] { code = cli::validateCommand(command, arguments.file); });

  auto* plan = verb("plan", "show what a campaign would do: steps, fingerprints, duration");
  addFile(*plan, arguments.file);
  plan->callback([&] { code = cli::planCommand(command, arguments.file); });

  auto* submit = verb("submit", "give a campaign to the fleet");
  addFile(*submit, arguments.submit.campaign);
  submit->add_flag("--wait", arguments.submit.wait,
                   "accept work that no agent online can do; it waits for one");
  submit->add_flag("--watch", arguments.submit.follow, "follow it to its end");
  submit->add_option("--request-key", arguments.submit.requestKey,
                     "the same key again answers the same campaign");
  submit->callback([&] { code = cli::submitCommand(command, arguments.submit); });

  auto* watch = verb("watch", "follow a campaign to its end; Ctrl-C leaves it running");
  watch->add_option("CAMPAIGN", arguments.campaign, "id or name")->required();
  watch->callback([&] { code = cli::watchCommand(command, arguments.campaign); });

  auto* status = verb("status", "the campaigns, or the steps of one");
  status->add_option("CAMPAIGN", arguments.campaign, "id or name; without: the newest campaigns");
  status->callback([&] { code = cli::statusCommand(command, arguments.campaign); });

  auto* cancel = verb("cancel", "end a campaign; what runs is stopped");
  cancel->add_option("CAMPAIGN", arguments.campaign, "id or name")->required();
  cancel->callback([&] { code = cli::cancelCommand(command, arguments.campaign); });

  auto* pause = verb("pause", "hand out nothing of a campaign; what runs goes on");
  pause->footer("Example:\n  fleetmark pause november && fleetmark status november");
  pause->add_option("CAMPAIGN", arguments.campaign, "id or name")->required();
  pause->callback([&] { code = cli::pauseCommand(command, arguments.campaign); });

  auto* resume = verb("resume", "let a paused campaign go on");
  resume->footer("Example:\n  fleetmark resume november");
  resume->add_option("CAMPAIGN", arguments.campaign, "id or name")->required();
  resume->callback([&] { code = cli::resumeCommand(command, arguments.campaign); });

  auto* why = verb("why", "what holds a job back: a line for each thing that its steps need");
  why->footer(
      "Examples:\n  fleetmark status november --json    shows the numbers of jobs and steps\n"
      "  fleetmark why 12\n  fleetmark why step 31");
  why->add_option("JOB", arguments.job, "a job's number, or 'step' and a step's number")
      ->required()
      ->expected(1, 2);
  why->callback([&] { code = cli::whyCommand(command, arguments.job); });

  auto* report = verb("report", "write a campaign's report");
  report->add_option("CAMPAIGN", arguments.report.campaign, "id or name")->required();
  report->add_option("--format", arguments.report.format,
                     "md, html, json, csv or all (default md)");
  report->add_option("--out", arguments.report.out, "folder; without: standard output");
  report->callback([&] { code = cli::reportCommand(command, arguments.report); });

  auto* compare = verb("compare", "say whether B is faster than A, slower or the same");
  compare->formatter(std::make_shared<ExamplesFirst>());
  compare->footer(kCompareFooter);
  compare->add_option("A", arguments.compare.a, "what B is seen from")->required();
  compare->add_option("B", arguments.compare.b, "what is judged")->required();
  compare->add_option("RUNNER", arguments.compare.third,
                      "A is one result, and B and RUNNER are two of its runners");
  compare->add_option("--band", arguments.compare.bandPercent,
                      "differences up to so many percent count as the same (default 3)");
  compare->add_option("--confidence", arguments.compare.confidencePercent,
                      "of intervals and of the whole table, in percent (default 95)");
  compare->add_option("--max-cv", arguments.compare.mostCvPercent,
                      "most variation of fewer than 20 values, in percent (default 30)");
  compare->add_option("--seed", arguments.compare.seed,
                      "of the intervals over several machines (default 1)");
  compare->add_flag("--all-metrics", arguments.compare.allMetrics, "not headlines alone");
  compare->add_flag("--across-profiles", arguments.compare.acrossProfiles,
                    "compare results with different fingerprints all the same");
  compare->add_flag("--across-machines", arguments.compare.acrossMachines,
                    "compare machines with different CPU models all the same");
  compare->callback([&] { code = cli::compareCommand(command, arguments.compare); });

  auto* agents = verb("agents", "the agents and what they do");
  agents->callback([&] { code = cli::agentsCommand(command); });

  auto agentVerb = [&](const char* name, const char* help, ports::AgentWish wish) {
    auto* steer = verb(name, help);
    steer->footer(std::string("Example:\n  fleetmark ") + name + " local-a");
    steer->add_option("AGENT", arguments.agent, "name or id")->required();
    steer->callback([&, wish] { code = cli::setAgentCommand(command, arguments.agent, wish); });
  };
  agentVerb("drain", "let an agent finish what it does and take nothing more",
            ports::AgentWish::kDrain);
  agentVerb("undrain", "let a drained agent take work again", ports::AgentWish::kUndrain);
  agentVerb("release", "take an agent out of quarantine", ports::AgentWish::kRelease);

  auto* sql = verb("sql", "ask the views a read-only question (docs/sql.md)");
  sql->add_option("STATEMENT", arguments.sql.statement, "one SQL statement")->required();
  sql->add_option("--rows", arguments.sql.maxRows, "most rows shown (default 1000)");
  sql->add_flag("--csv", arguments.csv, "print CSV");
  sql->callback([&] {
    if (arguments.csv) command.format = cli::Format::kCsv;
    code = cli::sqlCommand(command, arguments.sql);
  });

  auto* enroll = verb("enroll", "make an identity for an agent or an operator");
  enroll->add_option("ROLE", arguments.enroll.role, "agent or operator")->required();
  enroll->add_option("NAME", arguments.enroll.name, "for people to read")->required();
  enroll->add_option("--out", arguments.enroll.out, "folder for the identity")->required();
  enroll->callback([&] { code = cli::enrollCommand(command, arguments.enroll); });

  auto* run = verb("run", "run a campaign on a private fleet on this machine");
  addFile(*run, arguments.run.campaign);
  run->add_option("--agents", arguments.run.agents, "how many agents (default: one a runner)")
      ->check(CLI::Range(1, 64));
  run->add_option("--out", arguments.run.out, "folder for the report (default: out/CAMPAIGN)");
  run->callback([&] { code = cli::runCommand(command, arguments.run); });

  app.parse_complete_callback([&] {
    if (arguments.json) command.format = cli::Format::kJson;
  });
  try {
    app.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    // CLI11 names what is missing rather than what is wrong.
    if (auto word = unknownVerb(app)) {
      std::fprintf(stderr, "%s\n", unknownVerbMessage(app, *word).c_str());
    } else {
      app.exit(error);
    }
    return static_cast<int>(cli::ExitCode::kBadInput);
  } catch (const CLI::ParseError& error) {
    int status_ = app.exit(error);
    return status_ == 0 ? 0 : static_cast<int>(cli::ExitCode::kBadInput);
  }
  return static_cast<int>(code);
}
