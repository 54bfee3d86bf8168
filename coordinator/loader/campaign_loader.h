// A campaign file (docs/campaign.md) to a CampaignSpec. Nothing is guessed: a value without its
// unit, an unknown key or an unset variable is refused.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/model/campaign.h"

namespace fleetmark::coordinator::loader {

// `fileName` is for messages only, no file is opened. `seedIfAbsent` orders a campaign that names
// no seed.
//
// kInvalid: one line a fault, each `file:line:column: what; what to do`, by place, at most 20.
base::Result<model::CampaignSpec> loadCampaign(std::string_view text, const std::string& fileName,
                                               const std::map<std::string, std::string>& variables,
                                               std::uint64_t seedIfAbsent);

// The text with each ${name} replaced, for the record that a report shows. Comments and layout
// stay.
std::string textWithVariables(std::string_view text,
                              const std::map<std::string, std::string>& variables);

// Everything a CampaignSpec says as one JSON object: keys sorted, durations in ns, no white space.
std::string canonicalSpecJson(const model::CampaignSpec& spec);

}  // namespace fleetmark::coordinator::loader
