#include "common/probes/spec.h"

namespace fleetmark::probes {

namespace {

constexpr std::int64_t kBlock = base::kMiB;

Estimate estimate(const Params& params) {
  auto samples = params.count("samples");
  auto blocks = params.bytes("file").count / kBlock;
  // Four operations a sample, each for at least min_duration and at least one pass over the file
  // in the sequential ones; the passes are guessed at 200 MiB/s.
  auto pass = base::Nanos(blocks * (1'000'000'000 / 200));
  auto longest = std::max(params.duration("min_duration"), pass);
  // Untimed: the file is written once, and read back after each of the two writing operations.
  auto expected = (longest * 2 + params.duration("min_duration") * 2 + pass * 2) * samples + pass;
  auto limit = params.duration("sample_timeout") * 6 * samples + std::chrono::minutes(10);
  return {expected, limit, static_cast<std::uint32_t>(samples)};
}

base::Status check(const Params& params) {
  if (params.bytes("file").count % kBlock != 0) {
    return base::invalid("'file' must be a multiple of 1MiB");
  }
  if (params.duration("sample_timeout") < params.duration("min_duration")) {
    return base::invalid("'sample_timeout' is shorter than 'min_duration'");
  }
  return {};
}

}  // namespace

const ProbeSpec& diskSpec() {
  static const ProbeSpec spec{
      .name = "disk",
      .protocol = 1,
      .summary = "one worker at queue depth 1, 1 MiB sequential and 4 KiB random, cache bypassed",
      .params =
          {
              {"path", ParamKind::kText, ParamPart::kPlacement, "/var/tmp",
               "folder that the measured file is made in"},
              {"file", ParamKind::kBytes, ParamPart::kProfile, "1GiB", "size of the measured file",
               base::kMiB, 1024 * base::kGiB},
              {"samples", ParamKind::kCount, ParamPart::kProfile, "5", "samples of each operation",
               1, 1000},
              {"min_duration", ParamKind::kDuration, ParamPart::kProfile, "5s",
               "each operation goes on for at least this long", 10'000'000, 3'600'000'000'000},
              {"sample_timeout", ParamKind::kDuration, ParamPart::kProfile, "60s",
               "a sample over this is recorded as timed out", 100'000'000, 3'600'000'000'000},
          },
      .metrics =
          {
              {"disk_read_rate", model::Unit::kBytesPerSecond, model::Better::kHigher, true,
               "1 MiB sequential reads"},
              {"disk_write_rate", model::Unit::kBytesPerSecond, model::Better::kHigher, true,
               "1 MiB sequential writes with the final flush"},
              {"disk_random_read_rate", model::Unit::kOperationsPerSecond, model::Better::kHigher,
               true, "4 KiB random reads"},
              {"disk_random_write_rate", model::Unit::kOperationsPerSecond, model::Better::kHigher,
               true, "4 KiB random writes with the final flush"},
          },
      .estimate = estimate,
      .check = check,
  };
  return spec;
}

}  // namespace fleetmark::probes
