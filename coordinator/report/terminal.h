// What the command prints about a campaign's steps: aligned lines of at most `width` columns.
//
//     local-a   cpu   done     33,120 it/s     CV 0.4 %     3/3
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "coordinator/ports/views.h"

namespace fleetmark::coordinator::report {

enum class Colour { kNever, kAnsi };  // marks the state only, and a word stands beside it

struct TerminalStyle {
  std::size_t width = 100;  // figures are never cut, only names and messages; below 40 counts as 40
  Colour colour = Colour::kNever;
};

// One line a step, each ended by a line feed, in the order given. Text of hosts and users can't
// reach the terminal as control codes. The figures "3/3" are valid and requested samples over all
// metrics.
std::string stepLines(const std::vector<ports::StepStatus>& steps, const TerminalStyle& style);

// "4 of 4 measured · 2 samples not valid · 1 min 14 s", without a line feed. The time is there
// when the campaign has ended.
std::string totalsLine(const ports::CampaignSummary& campaign);

// stepLines and totalsLine.
std::string terminalSummary(const ports::CampaignSummary& campaign,
                            const std::vector<ports::StepStatus>& steps,
                            const TerminalStyle& style);

}  // namespace fleetmark::coordinator::report
