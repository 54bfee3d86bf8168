// A result.json as one side of a comparison: valid samples and what must be equal, nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/sample.h"

namespace fleetmark::coordinator::compare {

inline constexpr std::size_t kMostResultBytes = 512 * 1024 * 1024;

struct ResultMetric {
  std::string name;
  model::Unit unit = model::Unit::kCount;
  model::Better better = model::Better::kHigher;
  bool headline = false;
  std::string status;  // a word of report::RowStatus
  std::optional<std::uint32_t> requested;
  std::uint32_t completed = 0;
  std::vector<double> values;  // of valid samples; as many as completed
};

struct ResultStep {
  std::string runner;
  std::string probe;
  std::string fingerprint;
  std::string step;
  std::int64_t trial = 1;
  std::string status;
  std::optional<bool> pinned;
  std::string agentVersion;
  // One boot of one machine. By machine and boot id; the host's name where neither is known, and
  // all machines without a name count as one.
  std::string instance;
  std::string cpuModel;  // empty: not known
  std::vector<ResultMetric> metrics;
};

struct ResultFile {
  std::string origin;  // as the user named it
  std::string campaign;
  std::int64_t campaignId = 0;
  std::vector<std::string> runners;
  std::vector<ResultStep> steps;
};

// kInvalid names the place in the document: no JSON, another schema, a member that is missing or
// of another type, counts and samples that disagree, a valid sample without a finite number.
base::Result<ResultFile> readResult(std::string_view text, const std::string& origin);

}  // namespace fleetmark::coordinator::compare
