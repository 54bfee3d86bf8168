#include "common/probes/spec.h"

namespace fleetmark::probes {

namespace {

Estimate estimate(const Params& params) {
  auto samples = params.count("samples");
  auto expected = params.duration("interval") * samples + std::chrono::milliseconds(50);
  return {expected, expected * 2 + std::chrono::seconds(30), static_cast<std::uint32_t>(samples)};
}

model::HostRelation relationOf(const Params& params) {
  return model::parseHostRelation(params.text("host")).value_or(model::HostRelation::kAny);
}

std::vector<model::PlannedStep> steps(const Params& params) {
  auto shape = params.text("shape");
  auto expected = estimate(params).expected;
  std::vector<model::PlannedStep> out;
  if (shape == "chain") {
    out.resize(2);
    out[0].name = "first";
    out[1].name = "second";
    out[1].needs.push_back({0, params.duration("gap"), relationOf(params)});
  } else if (shape == "pair") {
    out.resize(2);
    out[0].name = "left";
    out[1].name = "right";
    for (auto& step : out) {
      step.group = "pair";
      step.groupLimit = params.duration("gather");
    }
  } else {
    out.resize(1);
    out[0].name = "measure";
  }
  for (auto& step : out) step.estimate = expected;
  return out;
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
              {"shape",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "single",
               "steps of a job: one, one after the other, or two at the same time",
               0,
               0,
               {"single", "chain", "pair"}},
              {"gap", ParamKind::kDuration, ParamPart::kProfile, "0s",
               "chain: pause before the second step", 0, 86'400'000'000'000},
              {"host",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "any",
               "chain: where the second step runs, seen from the first",
               0,
               0,
               {"any", "same", "different", "fresh"}},
              {"gather", ParamKind::kDuration, ParamPart::kProfile, "60s",
               "pair: how long one waits for the other", 1'000'000'000, 86'400'000'000'000},
              {"fault",
               ParamKind::kChoice,
               ParamPart::kProfile,
               "none",
               "what goes wrong after half of the values",
               0,
               0,
               {"none", "fail", "crash", "exit", "hang", "ignore-term", "garbage", "orphan",
                "escape"}},
          },
      .metrics =
          {
              {"selftest_value", model::Unit::kCount, model::Better::kHigher, true,
               "first 32 bits of SHA-256 of '<seed>/<index>'"},
          },
      .estimate = estimate,
      .check = nullptr,
      .steps = steps,
  };
  return spec;
}

}  // namespace fleetmark::probes
