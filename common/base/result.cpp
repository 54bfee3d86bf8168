#include "common/base/result.h"

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fleetmark::base {

namespace {

constexpr std::array<std::pair<ErrorCode, std::string_view>, 8> kWords{{
    {ErrorCode::kInvalid, "invalid"},
    {ErrorCode::kNotFound, "not_found"},
    {ErrorCode::kConflict, "conflict"},
    {ErrorCode::kDenied, "denied"},
    {ErrorCode::kUnavailable, "unavailable"},
    {ErrorCode::kOverloaded, "overloaded"},
    {ErrorCode::kUnsupported, "unsupported"},
    {ErrorCode::kInternal, "internal"},
}};

}  // namespace

void checkFailed(const char* expression, const char* file, int line) {
  std::fprintf(stderr, "invariant broken: %s at %s:%d\n", expression, file, line);
  std::fflush(stderr);
  std::abort();
}

std::string_view toString(ErrorCode code) {
  for (const auto& [known, word] : kWords) {
    if (known == code) return word;
  }
  return "internal";
}

std::optional<ErrorCode> parseErrorCode(std::string_view word) {
  for (const auto& [known, text] : kWords) {
    if (text == word) return known;
  }
  return std::nullopt;
}

}  // namespace fleetmark::base
