// The four measured operations, each a closed loop of one worker at queue depth 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "agent/probes/disk/histogram.h"
#include "agent/probes/disk/measured_file.h"
#include "common/base/clock.h"

namespace fleetmark::agent::probes::disk {

enum class Operation { kSequentialRead, kSequentialWrite, kRandomRead, kRandomWrite };

inline constexpr std::array kOperations{Operation::kSequentialRead, Operation::kSequentialWrite,
                                        Operation::kRandomRead, Operation::kRandomWrite};

std::string_view wordOf(Operation operation);    // "seq-read"
std::string_view metricOf(Operation operation);  // "disk_read_rate"
bool writes(Operation operation);
bool isSequential(Operation operation);

struct Limits {
  base::Nanos least{0};  // goes on for at least this long
  base::Nanos most{0};   // stops, unfinished, after this long
};

enum class Ending { kComplete, kTimedOut, kStopped, kFailed };

// What one operation did in its timed window.
struct Window {
  Ending ending = Ending::kComplete;
  base::Nanos elapsed{0};  // with the flush
  base::Nanos flush{0};
  std::int64_t operations = 0;
  base::Bytes bytes;
  std::int64_t wrongReads = 0;
  std::optional<std::uint64_t> seed;  // of the random order
  std::optional<base::Error> error;   // when kFailed
  LatencyHistogram latency;           // of the single reads and writes, without the flush
};

// Sequential ones go over the whole file at least once. Random ones visit every block once before
// any block twice; the order comes from `seed` and repeats from pass to pass. Writing ones flush
// inside the window. The order is made before the window begins. A stop signal ends the window.
Window runOperation(Operation operation, MeasuredFile& file, const base::Clock& clock,
                    const Limits& limits, std::uint64_t seed);

}  // namespace fleetmark::agent::probes::disk
