#include "coordinator/report/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace fleetmark::coordinator::report {

namespace {

constexpr double kLargestWritten = 1e15;  // above it digits mean nothing and a power is shorter

std::string withFormat(const char* format, double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

DisplayUnit scaled(double magnitude, std::initializer_list<DisplayUnit> fromLargest) {
  double size = std::abs(magnitude);
  for (const auto& unit : fromLargest) {
    if (size * unit.factor >= 1) return unit;
  }
  return size > 0 ? *(fromLargest.end() - 1) : *fromLargest.begin();
}

std::string spanOf(std::int64_t large, const char* largeName, std::int64_t small,
                   const char* smallName) {
  std::string out = formatCount(static_cast<std::uint64_t>(large)) + " " + largeName;
  if (small > 0) out += " " + std::to_string(small) + " " + smallName;
  return out;
}

}  // namespace

DisplayUnit displayUnit(model::Unit unit, double magnitude) {
  switch (unit) {
    case model::Unit::kSeconds:
      return scaled(magnitude, {{"s", 1}, {"ms", 1e3}, {"\xC2\xB5s", 1e6}, {"ns", 1e9}});
    case model::Unit::kBytes:
      return scaled(magnitude, {{"GiB", 1.0 / static_cast<double>(base::kGiB)},
                                {"MiB", 1.0 / static_cast<double>(base::kMiB)},
                                {"KiB", 1.0 / static_cast<double>(base::kKiB)},
                                {"B", 1}});
    case model::Unit::kBytesPerSecond:
      return {"MiB/s", 1.0 / static_cast<double>(base::kMiB)};
    case model::Unit::kBitsPerSecond:
      return {"Mbps", 1e-6};
    case model::Unit::kIterationsPerSecond:
      return {"it/s", 1};
    case model::Unit::kOperationsPerSecond:
      return {"IOPS", 1};
    case model::Unit::kRatio:
    case model::Unit::kCount:
      return {"", 1};
  }
  FM_CHECK(false && "unknown unit");
  return {};
}

std::string formatNumber(double shown) {
  if (!std::isfinite(shown)) return std::string(kNoNumber);
  double size = std::abs(shown);
  if (size >= kLargestWritten) return withFormat("%.4g", shown);
  if (std::floor(shown) == shown && (size >= 1000 || size == 0)) {
    return base::formatThousands(size == 0 ? 0.0 : shown, 0);
  }
  if (size >= 999.95) return base::formatThousands(shown, 0);
  if (size >= 99.995) return base::formatThousands(shown, 1);
  if (size >= 0.9995) return base::formatThousands(shown, 2);
  return withFormat("%.3g", shown);
}

std::string formatScaled(double value, model::Unit unit, const DisplayUnit& scale) {
  bool whole = unit == model::Unit::kCount && std::floor(value) == value;
  if (whole && std::abs(value) < kLargestWritten) return base::formatThousands(value, 0);
  return formatNumber(value * scale.factor);
}

std::string formatValue(double value, model::Unit unit) {
  if (!std::isfinite(value)) return std::string(kNoNumber);
  DisplayUnit scale = displayUnit(unit, value);
  std::string number = formatScaled(value, unit, scale);
  return scale.name.empty() ? number : number + " " + std::string(scale.name);
}

std::string formatVariation(double cv, int decimals) {
  if (!std::isfinite(cv)) return std::string(kNoNumber);
  double percent = cv * 100;
  if (std::abs(percent) >= kLargestWritten) return withFormat("%.4g %%", percent);
  return base::formatThousands(percent, decimals) + " %";
}

std::string formatSpan(base::Nanos span) {
  std::int64_t ns = span.count();
  if (ns < 0) return "-" + formatSpan(-span);
  auto value = static_cast<double>(ns);
  if (ns < 1'000) return std::to_string(ns) + " ns";
  if (ns < 1'000'000) return withFormat("%.4g \xC2\xB5s", value / 1e3);
  if (ns < 1'000'000'000) return withFormat("%.4g ms", value / 1e6);
  std::int64_t seconds = (ns + 500'000'000) / 1'000'000'000;
  if (seconds < 60) return withFormat("%.3g s", value / 1e9);
  if (seconds < 3600) return spanOf(seconds / 60, "min", seconds % 60, "s");
  return spanOf(seconds / 3600, "h", seconds % 3600 / 60, "min");
}

std::string formatTime(base::WallTime time) {
  std::string text = base::formatWall(time);
  return text.substr(0, 10) + " " + text.substr(11, 8) + " UTC";
}

std::string formatCount(std::uint64_t count) {
  std::string out = std::to_string(count);
  for (std::size_t i = out.size(); i > 3;) {
    i -= 3;
    out.insert(i, ",");
  }
  return out;
}

std::string exactNumber(double value) {
  if (!std::isfinite(value)) return {};
  std::array<char, 40> buffer{};
  auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  FM_CHECK(written.ec == std::errc());
  return std::string(buffer.data(), written.ptr);
}

std::string exactTime(base::WallTime time) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  std::int64_t part = base::toUnixNanos(time) % kSecond;
  if (part < 0) part += kSecond;
  std::string digits = std::to_string(part);
  return base::formatWall(time).substr(0, 20) + std::string(9 - digits.size(), '0') + digits + "Z";
}

}  // namespace fleetmark::coordinator::report
