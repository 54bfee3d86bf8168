#include "coordinator/domain/campaign.h"

#include <algorithm>
#include <string>

#include "common/base/check.h"

namespace fleetmark::coordinator::domain {

namespace {

using Table = std::span<const Transition<CampaignState, CampaignEventKind>>;

std::string_view eventWord(CampaignState state) {
  switch (state) {
    case CampaignState::kQueued:
      return "campaign.queued";
    case CampaignState::kRunning:
      return "campaign.running";
    case CampaignState::kCancelling:
      return "campaign.cancelling";
    case CampaignState::kDone:
      return "campaign.done";
    case CampaignState::kCancelled:
      return "campaign.cancelled";
  }
  return "?";
}

CampaignState target(CampaignState from, CampaignEventKind event) {
  if (isTerminal(from)) return from;
  switch (event) {
    case CampaignEventKind::kNoneStarted:
      return from;
    case CampaignEventKind::kSomeStarted:
      return from == CampaignState::kQueued ? CampaignState::kRunning : from;
    case CampaignEventKind::kAllEnded:
      return from == CampaignState::kCancelling ? CampaignState::kCancelled : CampaignState::kDone;
    case CampaignEventKind::kCancelRequested:
      return CampaignState::kCancelling;
  }
  return from;
}

}  // namespace

std::string_view toString(CampaignEventKind kind) {
  switch (kind) {
    case CampaignEventKind::kNoneStarted:
      return "none started";
    case CampaignEventKind::kSomeStarted:
      return "some started";
    case CampaignEventKind::kAllEnded:
      return "all ended";
    case CampaignEventKind::kCancelRequested:
      return "cancel requested";
  }
  return "?";
}

CampaignEventKind campaignEventOf(std::span<const JobState> jobs) {
  FM_CHECK(!jobs.empty());
  if (std::all_of(jobs.begin(), jobs.end(), [](JobState job) { return isTerminal(job); })) {
    return CampaignEventKind::kAllEnded;
  }
  bool none =
      std::all_of(jobs.begin(), jobs.end(), [](JobState job) { return job == JobState::kPending; });
  return none ? CampaignEventKind::kNoneStarted : CampaignEventKind::kSomeStarted;
}

base::Result<Applied<Campaign>> apply(const Campaign& campaign, CampaignEventKind event,
                                      TimePoint /*now*/) {
  if (!allows(Table(kCampaignTransitions), campaign.state, event)) {
    return base::conflict("campaign is " + std::string(toString(campaign.state)) + ": '" +
                          std::string(toString(event)) + "' can't happen now");
  }
  Applied<Campaign> out{{target(campaign.state, event)}, {}};
  FM_CHECK(allows(Table(kCampaignTransitions), campaign.state, event, out.next.state));
  if (out.next.state == campaign.state) return out;
  if (out.next.state == CampaignState::kCancelling) {
    out.effects.push_back({EffectKind::kCancelSteps, {}, {}});
    out.effects.push_back({EffectKind::kRollUpCampaign, {}, {}});
  }
  out.effects.push_back({EffectKind::kAppendEvent, {}, eventWord(out.next.state)});
  return out;
}

CampaignState rollUpCampaign(CampaignState current, std::span<const JobState> jobs) {
  auto applied = apply(Campaign{current}, campaignEventOf(jobs), TimePoint{});
  return applied ? applied->next.state : current;
}

}  // namespace fleetmark::coordinator::domain
