// One function a verb of the command. Each prints to stdout, faults to stderr, and answers the
// exit code.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/base/clock.h"
#include "coordinator/cli/connection.h"
#include "coordinator/cli/exit_code.h"
#include "coordinator/cli/watch_view.h"

namespace fleetmark::coordinator::cli {

enum class Format { kText, kJson, kCsv };

// What every verb gets.
struct Command {
  const base::Clock& clock;
  Connect connect;
  ConnectionFlags connection;
  Format format = Format::kText;
  std::string programFolder;  // where the other programs of fleetmark stand
};

struct FileArguments {
  std::string file;                      // "-" is standard input
  std::vector<std::string> assignments;  // --set name=value
};

struct SubmitArguments {
  FileArguments campaign;
  bool wait = false;    // accept work that no agent online can do
  bool follow = false;  // watch it to its end
  std::string requestKey;
};

struct ReportArguments {
  std::string campaign;
  std::string format = "md";  // md | json | csv | all
  std::string out;            // folder; empty: stdout
};

struct RunArguments {
  FileArguments campaign;
  std::size_t agents = 0;  // 0: one a runner of the campaign
  std::string out;         // folder; empty: out/<campaign>
};

struct SqlArguments {
  std::string statement;
  std::uint32_t maxRows = 1000;
};

struct CompareArguments {
  std::string a, b;   // places: a campaign, a file or a folder, with :RUNNER where one is meant
  std::string third;  // not empty: a is one place, b and third are two of its runners
  double bandPercent = 3;
  double confidencePercent = 95;
  double mostCvPercent = 30;
  std::uint64_t seed = 1;
  bool allMetrics = false;
  bool acrossProfiles = false;
  bool acrossMachines = false;
};

struct EnrollArguments {
  std::string role;
  std::string name;
  std::string out;
};

ExitCode validateCommand(const Command& command, const FileArguments& arguments);
ExitCode planCommand(const Command& command, const FileArguments& arguments);
ExitCode submitCommand(const Command& command, const SubmitArguments& arguments);
ExitCode watchCommand(const Command& command, const std::string& campaign);
ExitCode statusCommand(const Command& command, const std::string& campaign);  // "": the list
ExitCode cancelCommand(const Command& command, const std::string& campaign);
ExitCode pauseCommand(const Command& command, const std::string& campaign);
ExitCode resumeCommand(const Command& command, const std::string& campaign);
// `job`: its number, or "step" and a step's number.
ExitCode whyCommand(const Command& command, const std::vector<std::string>& job);
ExitCode reportCommand(const Command& command, const ReportArguments& arguments);
// kAllMeasured: every row has a verdict; kSomeFailed: some can't be told.
ExitCode compareCommand(const Command& command, const CompareArguments& arguments);
ExitCode agentsCommand(const Command& command);
// drain, undrain and release; `agent`: a name or an id.
ExitCode setAgentCommand(const Command& command, const std::string& agent, ports::AgentWish wish);
ExitCode sqlCommand(const Command& command, const SqlArguments& arguments);
ExitCode enrollCommand(const Command& command, const EnrollArguments& arguments);
ExitCode runCommand(const Command& command, const RunArguments& arguments);

// ---- shared by the verbs ----

base::Result<std::unique_ptr<ports::OperatorPort>> connectTo(const Command& command);
void printOut(const std::string& text);
// The message on stderr (one JSON object on stdout with --json), and its exit code.
ExitCode fail(const Command& command, const base::Error& error);
base::Result<std::string> readCampaignFile(const std::string& file);
base::Result<std::map<std::string, std::string>> parseAssignments(
    const std::vector<std::string>& assignments);
base::Result<model::Plan> loadPlan(const FileArguments& arguments);
// report.html, report.md, result.json and samples.csv, or the one asked for, into `folder`; their
// paths.
base::Result<std::vector<std::string>> writeReports(ports::OperatorPort& port,
                                                    const std::string& campaign,
                                                    const std::vector<ports::ReportFormat>& formats,
                                                    const std::string& folder);
WatchView makeView(const Command& command);

}  // namespace fleetmark::coordinator::cli
