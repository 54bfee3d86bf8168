#include "tests/chaos/run_chaos.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/chaos/checks.h"
#include "tests/chaos/failure.h"
#include "tests/chaos/fleet.h"
#include "tests/chaos/injector.h"
#include "tests/chaos/operator.h"
#include "tests/chaos/plan.h"
#include "tests/chaos/wait.h"

namespace fleetmark::chaos {

namespace {

using Steady = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kOpenSteps = 24;  // so many at least wait or run while faults happen
constexpr auto kSettleLimit = seconds(240);
constexpr auto kLeftoverLimit = seconds(20);
constexpr auto kTellEvery = seconds(15);
constexpr auto kReleaseEvery = seconds(1);

class Run {
 public:
  explicit Run(const RunOptions& options)
      : options_(options),
        plan_(makePlan(options.seed, options.faults)),
        fleet_(options.folder, options.bin),
        operator_(fleet_, options.folder, options.seed),
        injector_(fleet_, operator_) {}

  Verdict run() {
    say("starting 2 databases, " + std::to_string(kCoordinators) + " coordinators, " +
        std::to_string(kAgents) + " agents");
    fleet_.start();
    say("the fleet is up");
    began_ = Steady::now();
    injectAll();
    say("no fault is active; waiting for the work to end");
    settle();
    auto broken = checkAll(fleet_, operator_);
    if (!unsettled_.empty()) broken.push_back({"all work ends once faults are over", {unsettled_}});
    Figures figures = countAll(fleet_.databases());
    fleet_.stop();
    if (!waitFor(kLeftoverLimit, [this] { return fleet_.leftovers().empty(); })) {
      broken.push_back({"no process outlives the fleet", fleet_.leftovers()});
    }
    report(figures, broken);
    return broken.empty() ? Verdict::kHeld : Verdict::kBroken;
  }

 private:
  struct Active {
    const Fault* fault;
    Steady::time_point until;
  };

  void say(const std::string& text) const {
    std::printf("[%6.1fs] %s\n", std::chrono::duration<double>(Steady::now() - start_).count(),
                text.c_str());
    std::fflush(stdout);
  }

  // One turn of everything that goes on beside the faults.
  void tend(int wanted) {
    fleet_.tend();
    operator_.tend(wanted);
    if (Steady::now() - released_ > kReleaseEvery) {
      released_ = Steady::now();
      releaseAgents();
    }
    if (platform::StopSignal::waitFor(milliseconds(10))) throw HarnessFailure("interrupted");
  }

  // Killed agents look like broken ones, so that they are put into quarantine.
  void releaseAgents() {
    try {
      auto rows = fleet_.databases().query(
          "UPDATE fleetmark.agent SET quarantined_at = NULL, fast_failures = 0,"
          " quarantine_reason = '' WHERE quarantined_at IS NOT NULL RETURNING name");
      for (const auto& row : rows) say("released " + row[0] + " from quarantine");
    } catch (const std::exception&) {
      // The database is away; later.
    }
  }

  void injectAll() {
    std::size_t next = 0;
    while (next < plan_.size() || !active_.empty()) {
      auto now = Steady::now();
      auto over =
          std::min_element(active_.begin(), active_.end(),
                           [](const Active& a, const Active& b) { return a.until < b.until; });
      bool due = next < plan_.size() && began_ + plan_[next].at <= now;
      if (over != active_.end() && over->until <= now) {
        const Fault* fault = over->fault;
        active_.erase(over);
        injector_.end(*fault);
      } else if (due && canBegin(plan_[next])) {
        begin(next);
        ++next;
      }
      tend(kOpenSteps);
    }
  }

  // Ends may be late, so a target may still be taken although the plan says that it is free.
  bool canBegin(const Fault& fault) const {
    return std::none_of(active_.begin(), active_.end(), [&fault](const Active& active) {
      return sameTarget(*active.fault, fault);
    });
  }

  void begin(std::size_t number) {
    const Fault& fault = plan_[number];
    std::string said = describe(fault, number + 1);
    std::string more;
    try {
      more = injector_.begin(fault);
    } catch (const HarnessFailure&) {
      throw;
    } catch (const std::exception&) {
      more = "skipped: the database does not answer";
    }
    say(said + (more.empty() ? "" : " (" + more + ")"));
    if (more.starts_with("skipped")) ++skipped_;
    active_.push_back({&fault, Steady::now() + fault.lasts});
  }

  void settle() {
    auto deadline = Steady::now() + kSettleLimit;
    auto tell = Steady::now() + kTellEvery;
    for (;;) {
      std::string left = stillOpen();
      if (left.empty()) return;
      if (Steady::now() > deadline) {
        unsettled_ = left;
        return;
      }
      if (Steady::now() > tell) {
        say(left);
        tell += kTellEvery;
      }
      tend(0);
    }
  }

  // What is not over yet; empty: nothing.
  std::string stillOpen() {
    if (!operator_.idle()) return "an order of the operator is not answered";
    try {
      auto rows = fleet_.databases().query(
          "SELECT (SELECT count(*) FROM fleetmark.step"
          " WHERE state IN ('blocked', 'ready', 'leased')),"
          " (SELECT count(*) FROM fleetmark.campaign WHERE state NOT IN ('done', 'cancelled'))");
      const Row& row = rows.at(0);
      if (row[0] != "0" || row[1] != "0") {
        return row[0] + " steps and " + row[1] + " campaigns are open";
      }
    } catch (const std::exception& e) {
      return std::string("the database does not answer: ") + e.what();
    }
    auto files = fleet_.spoolFiles();
    return files.empty() ? "" : std::to_string(files.size()) + " files in spools";
  }

  void report(const Figures& figures, const std::vector<Broken>& broken) const {
    std::printf("\n%s campaigns; steps: %s\nattempts: %s; %s samples\n", figures.campaigns.c_str(),
                figures.steps.c_str(), figures.attempts.c_str(), figures.samples.c_str());
    std::printf("%d faults, %d of them skipped, seed %llu, %.0f s\n", options_.faults, skipped_,
                static_cast<unsigned long long>(options_.seed),
                std::chrono::duration<double>(Steady::now() - start_).count());
    for (const auto& rule : broken) {
      std::printf("\nBROKEN: %s\n", rule.rule.c_str());
      for (const auto& row : rule.rows) std::printf("  %s\n", row.c_str());
    }
    if (broken.empty()) {
      std::printf("all %zu rules hold\n", rules().size() + 8);
    } else {
      std::printf("\nagain with: tests/chaos/run --faults %d --seed %llu\nlogs and databases: %s\n",
                  options_.faults, static_cast<unsigned long long>(options_.seed),
                  options_.folder.c_str());
    }
    std::fflush(stdout);
  }

  RunOptions options_;
  std::vector<Fault> plan_;
  Fleet fleet_;
  Operator operator_;
  Injector injector_;
  Steady::time_point start_ = Steady::now();
  Steady::time_point began_ = start_;
  Steady::time_point released_ = start_;
  std::vector<Active> active_;
  int skipped_ = 0;
  std::string unsettled_;
};

}  // namespace

Verdict runChaos(const RunOptions& options) { return Run(options).run(); }

}  // namespace fleetmark::chaos
