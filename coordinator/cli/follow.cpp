// Follows a campaign by its events. All steps are asked for only when an event says that something
// shown has changed, and the more a look costs the less often.
#include <algorithm>
#include <optional>

#include "common/platform/process.h"
#include "coordinator/cli/watch_view.h"

namespace fleetmark::coordinator::cli {

namespace {

using std::chrono::milliseconds;

constexpr auto kListen = milliseconds(500);  // one call for events
constexpr auto kLeastPause = milliseconds(500);
constexpr int kShare = 10;  // a look takes at most about a tenth of the time
constexpr auto kRarely = std::chrono::seconds(10);
constexpr auto kPatience = std::chrono::minutes(10);  // without a coordinator, before giving up
// The end's own event comes as soon as no older transaction runs.
constexpr auto kLastEvents = std::chrono::seconds(30);

bool endsCampaign(const ports::CampaignEvent& event) {
  return event.kind == "campaign.state" &&
         (event.dataJson.find("\"done\"") != std::string::npos ||
          event.dataJson.find("\"cancelled\"") != std::string::npos);
}

class Follower {
 public:
  Follower(const Watcher& watcher, base::CampaignId id)
      : watcher_(watcher), id_(id), lastHeard_(now()), nextLook_(lastHeard_) {}

  base::Result<ports::CampaignStatus> run() {
    for (;;) {
      if (watcher_.stop()) return base::conflict("stopped watching");
      FM_TRY_ASSIGN(bool some, listen());
      if (finished(some)) {
        watcher_.view.finish();
        return std::move(*last_);
      }
      if (lookIsDue()) {
        FM_TRY(look());
      }
    }
  }

 private:
  base::MonoTime now() const { return watcher_.clock.mono(); }

  // True: events came, or could have but for a coordinator that is away.
  base::Result<bool> listen() {
    base::Nanos wait = kListen;
    if (changed_) wait = std::clamp<base::Nanos>(nextLook_ - now(), base::Nanos(0), wait);
    auto events = watcher_.port.watch(id_, cursor_, wait);
    if (!events) {
      FM_TRY(away(events.error()));
      return true;
    }
    lastHeard_ = now();
    for (const auto& event : *events) {
      watcher_.view.event(event);
      cursor_ = event.cursor;
      changed_ |= watcher_.view.shows(event);
      ended_ |= endsCampaign(event);
    }
    return !events->empty();
  }

  bool isOver() const { return last_ && domain::isTerminal(last_->summary.state); }

  bool finished(bool someEvents) const {
    return isOver() && !someEvents && (ended_ || now() - overSince_ > kLastEvents);
  }

  bool lookIsDue() const {
    if (isOver()) return false;
    return ended_ || now() >= nextLook_ + kRarely || (changed_ && now() >= nextLook_);
  }

  base::Status look() {
    auto begin = now();
    auto status = watcher_.port.status(std::to_string(id_.value));
    if (!status) return away(status.error());
    last_ = std::move(*status);
    lastHeard_ = overSince_ = now();
    nextLook_ = lastHeard_ + std::max<base::Nanos>(kLeastPause, (lastHeard_ - begin) * kShare);
    changed_ = false;
    watcher_.view.show(*last_, watcher_.clock.wall());
    return {};
  }

  // Ok after a pause: try again.
  base::Status away(const base::Error& error) {
    bool passes =
        error.code == base::ErrorCode::kUnavailable || error.code == base::ErrorCode::kOverloaded;
    if (!passes || now() - lastHeard_ > kPatience) return error;
    watcher_.pause(kListen);
    return {};
  }

  const Watcher& watcher_;
  base::CampaignId id_;
  std::string cursor_;
  std::optional<ports::CampaignStatus> last_;
  bool changed_ = true;  // since the last look
  bool ended_ = false;   // the event that ends the campaign has come
  base::MonoTime lastHeard_;
  base::MonoTime nextLook_;
  base::MonoTime overSince_{};
};

}  // namespace

void pauseOrStop(base::Nanos pause) { (void)platform::StopSignal::waitFor(pause); }

base::Result<ports::CampaignStatus> followCampaign(const Watcher& watcher, base::CampaignId id) {
  return Follower(watcher, id).run();
}

}  // namespace fleetmark::coordinator::cli
