#include "common/probes/spec.h"

namespace fleetmark::probes {

namespace {

Estimate estimate(const Params& params) {
  auto samples = params.count("samples");
  auto duration = params.duration("duration");
  auto expected = duration * samples + std::chrono::seconds(1);
  return {expected, expected * 2 + std::chrono::seconds(30), static_cast<std::uint32_t>(samples)};
}

}  // namespace

const ProbeSpec& cpuSpec() {
  static const ProbeSpec spec{
      .name = "cpu",
      .protocol = 1,
      .summary = "one thread, own integer kernel over a 2,000-byte data set, pinned",
      .params =
          {
              {"samples", ParamKind::kCount, ParamPart::kProfile, "5", "samples taken", 1, 1000},
              {"duration", ParamKind::kDuration, ParamPart::kProfile, "30s", "length of one sample",
               100'000'000, 3'600'000'000'000},
          },
      .metrics =
          {
              {"cpu_rate", model::Unit::kIterationsPerSecond, model::Better::kHigher, true,
               "iterations of the kernel per second of wall time"},
              {"cpu_rate_by_cpu_time", model::Unit::kIterationsPerSecond, model::Better::kHigher,
               false, "iterations of the kernel per second of the thread's CPU time"},
          },
      .estimate = estimate,
      .check = nullptr,
  };
  return spec;
}

}  // namespace fleetmark::probes
