// A campaign: immutable once submitted; only its state moves.
//
//              some started               all ended
//   queued ------------------> running -------------> done
//      |  \                       |                    ^
//      |   \______________________|____________________|  all ended
//      |                          |
//      +---- cancel requested ----+---> cancelling --- all ended ---> cancelled
//
// A campaign with failed steps is done all the same: a measurement failure is a result.
// done and cancelled are final.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "coordinator/domain/machine.h"
#include "coordinator/domain/states.h"

namespace fleetmark::coordinator::domain {

struct Campaign {
  CampaignState state = CampaignState::kQueued;
  bool operator==(const Campaign&) const = default;
};

enum class CampaignEventKind {
  kNoneStarted,
  kSomeStarted,
  kAllEnded,
  kCancelRequested,
};

inline constexpr std::array kAllCampaignEvents{
    CampaignEventKind::kNoneStarted, CampaignEventKind::kSomeStarted, CampaignEventKind::kAllEnded,
    CampaignEventKind::kCancelRequested};

std::string_view toString(CampaignEventKind kind);

// What the jobs of a campaign (at least one) say together.
CampaignEventKind campaignEventOf(std::span<const JobState> jobs);

// kConflict: the event contradicts a final state.
base::Result<Applied<Campaign>> apply(const Campaign& campaign, CampaignEventKind event,
                                      TimePoint now);

// The state that a campaign has after its jobs have moved. A final state stays.
CampaignState rollUpCampaign(CampaignState current, std::span<const JobState> jobs);

inline constexpr Transition<CampaignState, CampaignEventKind> kCampaignTransitions[] = {
    {CampaignState::kQueued, CampaignEventKind::kNoneStarted, CampaignState::kQueued},
    {CampaignState::kQueued, CampaignEventKind::kSomeStarted, CampaignState::kRunning},
    {CampaignState::kQueued, CampaignEventKind::kAllEnded, CampaignState::kDone},
    {CampaignState::kQueued, CampaignEventKind::kCancelRequested, CampaignState::kCancelling},

    {CampaignState::kRunning, CampaignEventKind::kNoneStarted, CampaignState::kRunning},
    {CampaignState::kRunning, CampaignEventKind::kSomeStarted, CampaignState::kRunning},
    {CampaignState::kRunning, CampaignEventKind::kAllEnded, CampaignState::kDone},
    {CampaignState::kRunning, CampaignEventKind::kCancelRequested, CampaignState::kCancelling},

    {CampaignState::kCancelling, CampaignEventKind::kNoneStarted, CampaignState::kCancelling},
    {CampaignState::kCancelling, CampaignEventKind::kSomeStarted, CampaignState::kCancelling},
    {CampaignState::kCancelling, CampaignEventKind::kAllEnded, CampaignState::kCancelled},
    {CampaignState::kCancelling, CampaignEventKind::kCancelRequested, CampaignState::kCancelling},

    {CampaignState::kDone, CampaignEventKind::kAllEnded, CampaignState::kDone},
    {CampaignState::kDone, CampaignEventKind::kCancelRequested, CampaignState::kDone},

    {CampaignState::kCancelled, CampaignEventKind::kAllEnded, CampaignState::kCancelled},
    {CampaignState::kCancelled, CampaignEventKind::kCancelRequested, CampaignState::kCancelled},
};

}  // namespace fleetmark::coordinator::domain
