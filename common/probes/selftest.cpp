#include "common/probes/spec.h"

namespace fleetmark::probes {

namespace {

Estimate estimate(const Params& params) {
  auto samples = params.count("samples");
  auto expected = params.duration("interval") * samples + std::chrono::milliseconds(50);
  return {expected, expected * 2 + std::chrono::seconds(30), static_cast<std::uint32_t>(samples)};
}

}  // namespace

const ProbeSpec& selftestSpec() {
  static const ProbeSpec spec{
      .name = "selftest",
      .protocol = 1,
      .summary = "measures nothing: values that can be recomputed, faults on request",
      .params =
          {
              {"samples", ParamKind::kCount, ParamPart::kProfile, "3", "values produced", 0,
               10'000'000},
              {"interval", ParamKind::kDuration, ParamPart::kProfile, "0s",
               "pause before each value", 0, 60'000'000'000},
              {"seed", ParamKind::kCount, ParamPart::kProfile, "1", "values depend on it", 0},
              {"fault",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "none",
               "what goes wrong after half of the values",
               0,
               0,
               {"none", "fail", "crash", "exit", "hang", "ignore-term", "garbage", "orphan"}},
          },
      .metrics =
          {
              {"selftest_value", model::Unit::kCount, model::Better::kHigher, true,
               "first 32 bits of SHA-256 of '<seed>/<index>'"},
          },
      .estimate = estimate,
      .check = nullptr,
  };
  return spec;
}

}  // namespace fleetmark::probes
