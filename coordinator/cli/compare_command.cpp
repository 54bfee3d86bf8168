// fleetmark compare: two campaigns, runners of them, or files of their results.
#include <filesystem>

#include "common/platform/files.h"
#include "coordinator/cli/commands.h"
#include "coordinator/compare/output.h"
#include "coordinator/report/text.h"

namespace fleetmark::coordinator::cli {

namespace {

constexpr const char* kResultName = "result.json";

// The file that `place` stands for: itself, or the result in a report's folder. Empty: no such
// path here.
base::Result<std::string> fileAt(const std::string& place) {
  std::error_code ignored;
  if (!std::filesystem::exists(place, ignored)) return std::string();
  if (!std::filesystem::is_directory(place, ignored)) return place;
  std::string inside = (std::filesystem::path(place) / kResultName).string();
  if (std::filesystem::exists(inside, ignored)) return inside;
  return base::notFound(place + " is a folder without " + kResultName +
                        "; name the folder that fleetmark run or fleetmark report --format all "
                        "wrote, or a campaign by its id");
}

// Campaigns have neither slashes nor dots in their names.
bool looksLikePath(const std::string& text) {
  return text.find('/') != std::string::npos || text.find('.') != std::string::npos;
}

struct Place {
  std::string file;      // empty: a campaign of the coordinator
  std::string campaign;  // as the user wrote it, without the runner
  std::string runner;    // empty: all
};

// A path that is there as it stands wins; otherwise what follows the last colon is a runner.
base::Result<Place> resolve(const std::string& text) {
  FM_TRY_ASSIGN(std::string whole, fileAt(text));
  if (!whole.empty()) return Place{whole, text, ""};
  Place out{"", text, ""};
  auto colon = text.rfind(':');
  if (colon != std::string::npos) {
    out.campaign = text.substr(0, colon);
    out.runner = text.substr(colon + 1);
    if (out.campaign.empty() || out.runner.empty()) {
      return base::invalid(report::oneLine(text) + ": write CAMPAIGN:RUNNER, or FOLDER:RUNNER");
    }
    FM_TRY_ASSIGN(out.file, fileAt(out.campaign));
  }
  if (out.file.empty() && looksLikePath(out.campaign)) {
    return base::notFound(report::oneLine(out.campaign) +
                          ": no such file or folder; a campaign's name has no slash and no dot");
  }
  return out;
}

class Sides {
 public:
  explicit Sides(const Command& command) : command_(command) {}

  base::Result<compare::Choice> read(const std::string& text) {
    FM_TRY_ASSIGN(Place place, resolve(text));
    compare::Choice out;
    out.runner = place.runner;
    if (place.file.empty()) {
      FM_TRY_ASSIGN(auto json, ask(place.campaign));
      FM_TRY_ASSIGN(out.file, compare::readResult(json, place.campaign));
    } else {
      FM_TRY_ASSIGN(auto json, platform::readFile(place.file, compare::kMostResultBytes));
      FM_TRY_ASSIGN(out.file, compare::readResult(json, place.file));
    }
    return out;
  }

 private:
  // Connected only where a campaign is asked for: files need no coordinator.
  base::Result<std::string> ask(const std::string& campaign) {
    if (!port_) {
      FM_TRY_ASSIGN(port_, connectTo(command_));
    }
    FM_TRY_ASSIGN(auto report, port_->report(campaign, ports::ReportFormat::kJson));
    return std::move(report.content);
  }

  const Command& command_;
  std::unique_ptr<ports::OperatorPort> port_;
};

base::Result<compare::Options> optionsOf(const CompareArguments& arguments) {
  auto percent = [](double value, double least, double most,
                    const char* flag) -> base::Result<double> {
    if (value >= least && value <= most) return value / 100;
    return base::invalid(std::string(flag) + " is a percentage from " + std::to_string(least) +
                         " to " + std::to_string(most));
  };
  compare::Options out;
  FM_TRY_ASSIGN(out.stats.band, percent(arguments.bandPercent, 0.01, 100, "--band"));
  FM_TRY_ASSIGN(out.stats.confidence,
                percent(arguments.confidencePercent, 50, 99.9, "--confidence"));
  FM_TRY_ASSIGN(out.stats.mostVariation, percent(arguments.mostCvPercent, 0, 10000, "--max-cv"));
  out.stats.seed = arguments.seed;
  if (arguments.allMetrics) out.metrics = compare::Metrics::kAll;
  if (arguments.acrossProfiles) out.profiles = compare::Across::kAllow;
  if (arguments.acrossMachines) out.machines = compare::Across::kAllow;
  return out;
}

}  // namespace

ExitCode compareCommand(const Command& command, const CompareArguments& arguments) {
  auto options = optionsOf(arguments);
  if (!options) return fail(command, options.error());
  std::string placeA = arguments.a;
  std::string placeB = arguments.b;
  if (!arguments.third.empty()) {
    placeA = arguments.a + ":" + arguments.b;
    placeB = arguments.a + ":" + arguments.third;
  }
  Sides sides(command);
  auto a = sides.read(placeA);
  if (!a) return fail(command, a.error());
  auto b = sides.read(placeB);
  if (!b) return fail(command, b.error());
  auto comparison = compare::compareResults(std::move(*a), std::move(*b), *options);
  if (!comparison) return fail(command, comparison.error());
  printOut(command.format == Format::kJson ? compare::comparisonJson(*comparison)
                                           : compare::comparisonText(*comparison));
  return compare::allTold(*comparison) ? ExitCode::kAllMeasured : ExitCode::kSomeFailed;
}

}  // namespace fleetmark::coordinator::cli
