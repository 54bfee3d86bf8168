// Stored values (base units) as people read them. Not for JSON or CSV, which keep base units and
// every digit: exactNumber and exactTime are for those.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/model/sample.h"

namespace fleetmark::coordinator::report {

// What stands where there is no number.
inline constexpr std::string_view kNoNumber = "\xE2\x80\x94";  // em dash

struct DisplayUnit {
  std::string_view name;  // "MiB/s"; empty for plain counts and ratios
  double factor = 1;      // shown = stored * factor
};

// The scale that suits `magnitude`, a stored value. Rates have one scale each, so that two tables
// can be laid side by side; times and sizes have several.
DisplayUnit displayUnit(model::Unit unit, double magnitude);

// Four significant digits or so, thousands separated; not finite: an em dash. A value that isn't
// zero never reads as zero.
std::string formatNumber(double shown);
// In a given scale and without its name, for a column: counts that are whole stay whole.
std::string formatScaled(double value, model::Unit unit, const DisplayUnit& scale);
// "33,120 it/s", "487.2 MiB/s", "21,341 IOPS", "1.24 ms".
std::string formatValue(double value, model::Unit unit);
// A coefficient of variation as a percentage: 0.004 -> "0.4 %".
std::string formatVariation(double cv, int decimals);
// "5 s", "250 ms", "1 min 14 s", "2 h 5 min".
std::string formatSpan(base::Nanos span);
// "2026-11-30 16:09:37 UTC".
std::string formatTime(base::WallTime time);
std::string formatCount(std::uint64_t count);  // "1,000,000"

// The shortest decimal text that reads back as the same double. Not finite: empty.
std::string exactNumber(double value);
// RFC 3339 in UTC with nanoseconds: 2026-11-30T16:09:37.125000000Z.
std::string exactTime(base::WallTime time);

}  // namespace fleetmark::coordinator::report
