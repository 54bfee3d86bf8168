#include "agent/probes/cpu/verdict.h"

#include <cstdio>

namespace fleetmark::agent::probes::cpu {

void judge(model::Sample& sample, const Evidence& evidence) {
  if (evidence.utilisation < kLeastUtilisation) {
    char share[32];
    std::snprintf(share, sizeof share, "%.1f %%", evidence.utilisation * 100);
    sample.verdict = model::Verdict::kContended;
    sample.reasons.push_back("the thread had the CPU for " + std::string(share) +
                             " of the time, less than 98 %: something else ran on it, or a quota "
                             "held it back");
  }
  if (!evidence.pinInForce) {
    sample.verdict = model::Verdict::kUnverified;
    sample.reasons.push_back("the pin to one CPU wasn't in force around the sample");
  }
  if (evidence.wrong > 0) {
    sample.verdict = model::Verdict::kUnverified;
    sample.reasons.push_back(std::to_string(evidence.wrong) + " of " +
                             std::to_string(evidence.iterations) +
                             " iterations computed a wrong check value; is the CPU or the build "
                             "at fault?");
  }
}

}  // namespace fleetmark::agent::probes::cpu
