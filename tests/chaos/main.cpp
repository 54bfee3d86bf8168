// fleetmark_chaos: proves by faults that nothing is lost and nothing runs twice. See
// docs/reliability.md; tests/chaos/run builds it and calls it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/base/log.h"
#include "common/base/random.h"
#include "common/platform/files.h"
#include "common/platform/process.h"
#include "tests/chaos/failure.h"
#include "tests/chaos/operator.h"
#include "tests/chaos/plan.h"
#include "tests/chaos/run_chaos.h"

namespace {

using namespace fleetmark;

constexpr int kHeld = 0;
constexpr int kBroken = 1;
constexpr int kBadInput = 2;
constexpr int kHarness = 3;

std::string defaultBin() {
  const char* bin = std::getenv("FLEETMARK_BIN");
  if (bin != nullptr && *bin != '\0') return bin;
  std::string own = platform::ownExecutable();
  return own.substr(0, own.rfind('/'));
}

void printPlan(std::uint64_t seed, int faults) {
  std::size_t number = 0;
  for (const auto& fault : chaos::makePlan(seed, faults)) {
    std::printf("%s\n", chaos::describe(fault, ++number).c_str());
  }
  std::printf("\n# the first campaign\n%s", chaos::makeCampaign(seed, 1).c_str());
}

int run(chaos::RunOptions& options, bool keep) {
  try {
    options.folder = chaos::must(platform::makeTemporaryFolder("fm-chaos-"), "a folder");
    std::printf("chaos: seed %llu, %d faults, in %s\n",
                static_cast<unsigned long long>(options.seed), options.faults,
                options.folder.c_str());
    auto verdict = chaos::runChaos(options);
    if (verdict == chaos::Verdict::kBroken) return kBroken;
    if (!keep) chaos::must(platform::removeTree(options.folder), "removing the folder");
    return kHeld;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "chaos: the harness failed: %s\nseed %llu; what there is: %s\n", e.what(),
                 static_cast<unsigned long long>(options.seed), options.folder.c_str());
    return kHarness;
  }
}

}  // namespace

int main(int argc, char** argv) {
  platform::StopSignal::install();
  base::setLogLevel(base::LogLevel::kError);
  chaos::RunOptions options;
  options.seed = base::secureRandomSeed() % 1'000'000;
  options.bin = defaultBin();
  bool plan = false;
  bool keep = false;

  CLI::App app(
      "Examples:\n"
      "  tests/chaos/run --faults 60 --seed 1         one run\n"
      "  tests/chaos/run --faults 60 --seed 1 --plan  what it would do\n"
      "\n"
      "Does faults at random to a whole fleet and checks that nothing was lost or done twice");
  app.footer(
      "Exit codes: 0 every rule held, 1 a rule is broken (its folder is kept), 2 bad input, 3 the\n"
      "harness could not do its part.");
  app.add_option("--faults", options.faults, "how many (default 60)")->check(CLI::Range(0, 100000));
  app.add_option("--seed", options.seed, "plan and work follow from it (default: drawn)");
  app.add_flag("--plan", plan, "print the plan and end");
  app.add_flag("--keep", keep, "keep the folder with logs and databases");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? kHeld : kBadInput;
  }
  if (plan) {
    printPlan(options.seed, options.faults);
    return kHeld;
  }
  return run(options, keep);
}
