// Shows a campaign while it runs: a block that is drawn again on a terminal, plain lines (one for
// each change) otherwise, JSON lines for scripts.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "common/base/clock.h"
#include "common/base/result.h"
#include "coordinator/ports/operator_port.h"
#include "coordinator/report/terminal.h"

namespace fleetmark::coordinator::cli {

enum class WatchStyle { kBlock, kLines, kJson, kQuiet };

class WatchView {
 public:
  WatchView(WatchStyle style, report::TerminalStyle terminal)
      : style_(style), terminal_(terminal) {}

  // Prints what has changed since the last call to stdout.
  void show(const ports::CampaignStatus& status, base::WallTime now);
  void event(const ports::CampaignEvent& event);  // kJson only
  // Whether what show() prints may differ after the event.
  bool shows(const ports::CampaignEvent& event) const;
  // The block's last state stays on the screen.
  void finish();

 private:
  void showBlock(const ports::CampaignStatus& status, base::WallTime now);
  void showLines(const ports::CampaignStatus& status);

  WatchStyle style_;
  report::TerminalStyle terminal_;
  bool paused_ = false;                           // as last said
  std::size_t drawn_ = 0;                         // lines of the block on the screen
  std::map<std::int64_t, std::string> lastLine_;  // by step
};

// "[=====>    ]" filled to the fraction 0 to 1, `width` columns with its brackets.
std::string progressBar(double fraction, std::size_t width);
// Time that the steps not ended yet will take, by their estimates, all on one machine.
base::Nanos remaining(const ports::CampaignStatus& status, base::WallTime now);

// Until a signal asks to stop, or that long.
void pauseOrStop(base::Nanos pause);

// Follows a campaign to its end. Stops early, with kConflict, when stop() turns true. A connection
// that breaks is made again; events come without gaps or repeats.
struct Watcher {
  ports::OperatorPort& port;
  const base::Clock& clock;
  WatchView& view;
  bool (*stop)();
  void (*pause)(base::Nanos) = pauseOrStop;
};
base::Result<ports::CampaignStatus> followCampaign(const Watcher& watcher, base::CampaignId id);

}  // namespace fleetmark::coordinator::cli
