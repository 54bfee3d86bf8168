#include "coordinator/cli/watch_view.h"

#include <algorithm>
#include <cstdio>

#include "coordinator/cli/output.h"

namespace fleetmark::coordinator::cli {

namespace {

constexpr std::size_t kMostBlockLines = 40;  // a longer campaign shows what is going on now

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Of a long campaign: what runs, then what ended last, then what comes next.
std::vector<ports::StepStatus> interesting(const std::vector<ports::StepStatus>& steps) {
  if (steps.size() <= kMostBlockLines) return steps;
  std::vector<ports::StepStatus> out;
  auto take = [&](auto wanted, std::size_t most) {
    for (auto it = steps.rbegin(); it != steps.rend() && most > 0; ++it) {
      if (!wanted(*it)) continue;
      out.push_back(*it);
      --most;
    }
  };
  take([](const auto& s) { return s.state == domain::StepState::kLeased; }, kMostBlockLines / 2);
  take([](const auto& s) { return domain::isTerminal(s.state); }, kMostBlockLines - out.size());
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.step.value < b.step.value; });
  return out;
}

}  // namespace

std::string progressBar(double fraction, std::size_t width) {
  std::size_t inner = width > 2 ? width - 2 : 0;
  auto filled =
      static_cast<std::size_t>(std::clamp(fraction, 0.0, 1.0) * static_cast<double>(inner));
  std::string out = "[" + std::string(filled, '=');
  if (filled < inner) out += ">" + std::string(inner - filled - 1, ' ');
  return out + "]";
}

base::Nanos remaining(const ports::CampaignStatus& status, base::WallTime now) {
  base::Nanos left{0};
  for (const auto& step : status.steps) {
    if (domain::isTerminal(step.state)) continue;
    auto needed = step.estimate;
    if (step.state == domain::StepState::kLeased && step.startedAt) {
      needed = std::max(needed - (now - *step.startedAt), base::Nanos(std::chrono::seconds(1)));
    }
    left += needed;
  }
  return left;
}

void WatchView::show(const ports::CampaignStatus& status, base::WallTime now) {
  switch (style_) {
    case WatchStyle::kBlock:
      return showBlock(status, now);
    case WatchStyle::kLines:
      return showLines(status);
    case WatchStyle::kJson:
    case WatchStyle::kQuiet:
      return;
  }
}

void WatchView::event(const ports::CampaignEvent& event) {
  if (style_ == WatchStyle::kJson) print(eventJson(event));
}

bool WatchView::shows(const ports::CampaignEvent& event) const {
  switch (style_) {
    case WatchStyle::kBlock:
      return true;
    case WatchStyle::kLines:
      return event.kind != "step.samples";
    case WatchStyle::kJson:
    case WatchStyle::kQuiet:
      return false;
  }
  return true;
}

void WatchView::finish() { drawn_ = 0; }

void WatchView::showBlock(const ports::CampaignStatus& status, base::WallTime now) {
  std::string block = report::stepLines(interesting(status.steps), terminal_);
  std::size_t ended = 0;
  double done = 0;
  double all = 0;
  for (const auto& step : status.steps) {
    double weight = std::max<double>(static_cast<double>(step.estimate.count()), 1);
    all += weight;
    if (domain::isTerminal(step.state)) {
      ++ended;
      done += weight;
    } else if (step.state == domain::StepState::kLeased && step.startedAt) {
      done += std::min(weight * 0.99, static_cast<double>((now - *step.startedAt).count()));
    }
  }
  block += progressBar(all > 0 ? done / all : 0, 32) + "  " + std::to_string(ended) + " of " +
           std::to_string(status.steps.size()) + " steps";
  if (ended < status.steps.size()) {
    auto left = std::chrono::ceil<std::chrono::seconds>(remaining(status, now));
    block += ", about " + base::formatDuration(left) + " left";
  }
  if (status.summary.paused) block += ", paused";
  block += "\n";
  std::string out;
  if (drawn_ > 0) out += "\x1b[" + std::to_string(drawn_) + "A";
  drawn_ = 0;
  std::size_t begin = 0;
  while (begin < block.size()) {
    auto end = block.find('\n', begin);
    out += block.substr(begin, end - begin) + "\x1b[K\n";
    begin = end + 1;
    ++drawn_;
  }
  out += "\x1b[J";
  print(out);
}

void WatchView::showLines(const ports::CampaignStatus& status) {
  if (status.summary.paused != paused_) {
    paused_ = status.summary.paused;
    print(paused_ ? "the campaign is paused; fleetmark resume lets it go on\n"
                  : "the campaign goes on\n");
  }
  for (const auto& step : status.steps) {
    if (step.state == domain::StepState::kBlocked || step.state == domain::StepState::kReady) {
      continue;
    }
    // Progress within a step is no line of its own: a log stays short.
    std::string key =
        std::string(domain::toString(step.state)) + "/" + std::to_string(step.attempts);
    auto& last = lastLine_[step.step.value];
    if (last == key) continue;
    last = key;
    print(report::stepLines({step}, terminal_));
  }
}

}  // namespace fleetmark::coordinator::cli
