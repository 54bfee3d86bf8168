#include "tests/chaos/operator.h"

#include <fstream>

#include "tests/chaos/failure.h"

namespace fleetmark::chaos {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto kCommandLimit = seconds(60);  // of one run, after which it is killed and begun anew
constexpr auto kLookEvery = milliseconds(300);
constexpr int kUnknown = 1'000'000;
constexpr int kBadInput = 2;

std::string entry(base::SeededRandom& random) {
  auto below = [&random](std::uint64_t bound) { return random.below(bound); };
  std::string out = "selftest: {samples: " + std::to_string(1 + below(60)) +
                    ", interval: " + std::to_string(below(30)) +
                    "ms, seed: " + std::to_string(1 + below(100000));
  switch (below(10)) {
    case 0:
    case 1:
    case 2:
      out += ", shape: chain, gap: " + std::to_string(below(1500)) + "ms, host: ";
      out += std::array{"any", "same", "different", "fresh"}[below(4)];
      break;
    case 3:
      out += ", shape: pair, gather: 10s";
      break;
    case 4:
      out += ", fault: ";
      out += std::array{"fail", "crash", "exit"}[below(3)];
      break;
    default:
      break;
  }
  return out + "}";
}

}  // namespace

std::string makeCampaign(std::uint64_t seed, int number) {
  base::SeededRandom random(seed * 1'000'003 + static_cast<std::uint64_t>(number));
  std::string out = "campaign: chaos-" + std::to_string(number) + "\nrunners:\n  - {name: any}\n";
  auto pinned = random.below(kAgents + 2);
  if (pinned < kAgents) {
    out += "  - {name: one, match: {agent: a" + std::to_string(pinned + 1) + "}}\n";
  }
  out += "order: ";
  out += std::array{"declared", "interleave", "abba", "random"}[random.below(4)];
  out += "\nlimits: {job: 60s, no_progress: 20s}\nprobes:\n";
  auto probes = 2 + random.below(4);
  for (std::uint64_t i = 0; i < probes; ++i) {
    std::string probe = entry(random);
    // A step of one agent can't have its second on another machine, nor at the same time.
    bool elsewhere = probe.find("pair") != std::string::npos ||
                     probe.find("different") != std::string::npos ||
                     probe.find("fresh") != std::string::npos;
    if (elsewhere) probe.insert(probe.size() - 1, ", on: [any]");
    for (auto trials = 1 + random.below(2); trials > 0; --trials) out += "  - " + probe + "\n";
  }
  return out;
}

int Operator::openSteps() const {
  try {
    auto rows = fleet_.databases().query(
        "SELECT count(*) FROM fleetmark.step WHERE state IN ('blocked', 'ready', 'leased')");
    return std::stoi(rows.at(0).at(0));
  } catch (const std::exception&) {
    return kUnknown;
  }
}

void Operator::tend(int wanted) {
  if (process_) {
    auto status = process_->wait(base::Nanos(0));
    bool late = std::chrono::steady_clock::now() - since_ > kCommandLimit;
    if (!status && !late) return;
    process_.reset();
    finish(status && !status->signalled ? status->code : 3);
  }
  if (!orders_.empty()) return begin();
  auto now = std::chrono::steady_clock::now();
  if (wanted <= 0 || now - looked_ < kLookEvery) return;
  looked_ = now;
  if (openSteps() >= wanted) return;
  int number = ++campaigns_;
  std::string file = folder_ + "/campaign-" + std::to_string(number) + ".yaml";
  std::ofstream(file) << makeCampaign(seed_, number);
  std::string key = "chaos-" + std::to_string(seed_) + "-" + std::to_string(number);
  orders_.push_back(
      {Verb::kSubmit, {"submit", file, "--wait", "--json", "--request-key", key}, key});
}

void Operator::begin() {
  output_ = "command-" + std::to_string(++runs_);
  since_ = std::chrono::steady_clock::now();
  process_ = fleet_.command(orders_.front().arguments, output_);
}

void Operator::finish(int exitCode) {
  if (exitCode != 0 && exitCode != kBadInput) return;  // again
  Order order = std::move(orders_.front());
  orders_.pop_front();
  std::string said = fleet_.log(output_);
  switch (order.verb) {
    case Verb::kSubmit: {
      auto at = said.find("\"campaign_id\": ");
      if (exitCode != 0 || at == std::string::npos) {
        refusals_.push_back("submit " + order.key + " was refused: " + said);
        return;
      }
      submitted_.push_back({order.key, std::to_string(std::stoll(said.substr(at + 15)))});
      return;
    }
    case Verb::kCancel:
      // It may have ended in between.
      if (exitCode == 0 && said.find("ended before") == std::string::npos) {
        cancelled_.push_back(order.key);
      }
      return;
  }
}

void Operator::cancelOne() {
  try {
    auto rows = fleet_.databases().query(
        "SELECT id FROM fleetmark.campaign WHERE state IN ('queued', 'running')"
        " ORDER BY state DESC, id LIMIT 1");
    if (rows.empty()) return;
    orders_.push_back({Verb::kCancel, {"cancel", rows[0][0]}, rows[0][0]});
  } catch (const std::exception&) {
    // Nobody knows a campaign while the database is away.
  }
}

}  // namespace fleetmark::chaos
