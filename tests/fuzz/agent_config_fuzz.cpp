// An agent's settings.
#include "agent/config/config.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fleetmark;
  auto text = fuzz::asText(data, size);
  auto config = agent::config::parseConfig(text, "agent.yaml");
  if (fuzz::answered(config)) {
    (void)agent::config::checkConfig(*config);
    (void)agent::config::agentLabels({}, config->name, config->labels);
    auto again = agent::config::parseConfig(text, "agent.yaml");
    fuzz::require(fuzz::sure(again, "the same text is read again") == *config,
                  "the same text is the same configuration");
  }
  agent::config::AgentConfig flags;
  agent::config::Overrides overrides;
  overrides.labels = {std::string(text.substr(0, 512))};
  overrides.coordinators = overrides.labels;
  if (agent::config::applyOverrides(overrides, flags)) (void)agent::config::checkConfig(flags);
  return 0;
}
