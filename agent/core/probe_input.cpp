#include "agent/core/probe_input.h"

#include <algorithm>
#include <charconv>
#include <thread>

#include "agent/core/probe_request.h"
#include "common/platform/process_tree.h"
#include "common/platform/standard_input.h"

namespace fleetmark::agent::core {

namespace {

using namespace std::chrono_literals;

constexpr std::string_view kLeaseWord = "lease ";
constexpr std::size_t kInputBytes = 4096;
constexpr base::Nanos kLongestLease = 24h;  // far over any lease, far under what a clock can hold
constexpr int kExitLeaseOver = 3;

std::optional<std::int64_t> wholeNumber(std::string_view text) {
  std::int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

[[noreturn]] void watchInput(std::string pending) {
  base::SystemClock clock;
  std::optional<base::MonoTime> until;
  for (;;) {
    for (auto end = pending.find('\n'); end != std::string::npos; end = pending.find('\n')) {
      if (auto told = decodeLeaseLine(std::string_view(pending).substr(0, end))) until = told;
      pending.erase(0, end + 1);
    }
    if (pending.size() > kInputBytes) pending.clear();  // no line of the agent's
    base::Nanos left = until ? std::max(*until - clock.mono(), base::Nanos(0)) : kLongestLease;
    // Also without time left: what the agent has written while this process was stopped counts.
    auto read = platform::readStandardInput(kInputBytes, left);
    if (!read || read->eof) break;
    if (read->timedOut && until && clock.mono() >= *until) break;
    pending += read->bytes;
  }
  platform::endWithDescendants(kExitLeaseOver);
}

}  // namespace

std::string encodeLeaseLine(base::MonoTime now, base::Nanos safeFor) {
  return std::string(kLeaseWord) + std::to_string(now.time_since_epoch().count()) + " " +
         std::to_string(std::clamp(safeFor, base::Nanos(0), kLongestLease).count()) + "\n";
}

std::optional<base::MonoTime> decodeLeaseLine(std::string_view line) {
  if (line.substr(0, kLeaseWord.size()) != kLeaseWord) return std::nullopt;
  line.remove_prefix(kLeaseWord.size());
  auto blank = line.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  auto now = wholeNumber(line.substr(0, blank));
  auto safeFor = wholeNumber(line.substr(blank + 1));
  if (!now || !safeFor || base::Nanos(*safeFor) > kLongestLease) return std::nullopt;
  if (base::Nanos(*now) > base::Nanos::max() - kLongestLease) return std::nullopt;
  return base::MonoTime(base::Nanos(*now) + base::Nanos(*safeFor));
}

base::Result<std::string> ProbeInput::readRequest() {
  std::string text;
  for (;;) {
    auto end = text.find('\n');
    if (end != std::string::npos) {
      rest_ = text.substr(end + 1);
      text.resize(end);
    }
    if (text.size() > kMaxProbeRequest) {
      return base::invalid("the request on standard input is over " +
                           std::to_string(kMaxProbeRequest) + " bytes");
    }
    if (end != std::string::npos) return text;
    FM_TRY_ASSIGN(auto read, platform::readStandardInput(kInputBytes, kLongestLease));
    if (read.eof) {
      ended_ = true;
      return text;
    }
    text += read.bytes;
  }
}

void ProbeInput::watchLease() {
  if (ended_) return;
  // Without orphans of its own a child could not find what left its group.
  static_cast<void>(platform::adoptOrphans());
  // Never joined: it waits for input that may not come while the process ends.
  std::thread([pending = std::move(rest_)]() mutable { watchInput(std::move(pending)); }).detach();
  // The end of the input says that the agent is gone; then all of the tree is to end, and not
  // this process alone, which is what the system would do.
  platform::outliveParent();
}

}  // namespace fleetmark::agent::core
