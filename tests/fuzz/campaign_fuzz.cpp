// A campaign file. Its first line may give variables: "# variables: name=value name=value".
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "coordinator/domain/planner.h"
#include "coordinator/loader/campaign_loader.h"
#include "tests/fuzz/target.h"

namespace fleetmark::fuzz {
namespace {

constexpr std::string_view kVariables = "# variables:";

std::map<std::string, std::string> variablesOf(std::string_view text) {
  std::map<std::string, std::string> out;
  if (text.substr(0, kVariables.size()) != kVariables) return out;
  std::string_view line = text.substr(kVariables.size());
  line = line.substr(0, line.find('\n'));
  while (!line.empty()) {
    auto end = std::min(line.find(' '), line.size());
    std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    auto equals = word.find('=');
    if (equals != std::string_view::npos) {
      out.emplace(word.substr(0, equals), word.substr(equals + 1));
    }
  }
  return out;
}

}  // namespace
}  // namespace fleetmark::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  auto text = fuzz::asText(data, size);
  auto variables = fuzz::variablesOf(text);
  auto spec = coordinator::loader::loadCampaign(text, "c.yaml", variables, 7);
  (void)coordinator::loader::textWithVariables(text, variables);
  if (!fuzz::answered(spec)) return 0;
  auto canonical = coordinator::loader::canonicalSpecJson(*spec);
  fuzz::require(nlohmann::json::accept(canonical), "a spec's canonical form is JSON", canonical);
  auto again = coordinator::loader::loadCampaign(text, "c.yaml", variables, 7);
  fuzz::require(fuzz::sure(again, "the same text loads again") == *spec,
                "the same text is the same campaign", canonical);
  // The limits on one campaign hold before it is planned; planning a large one is slow here.
  if (size < 4096) {
    auto plan = coordinator::domain::makePlan(*spec);
    if (fuzz::answered(plan)) fuzz::require(!plan->jobs.empty(), "a plan has jobs", canonical);
  }
  return 0;
}
