// Result<T>: a value or an Error. Member names follow std::expected, which replaces it one day.
//
// Functions that can fail for a reason outside the program return Result and never throw; a leaf
// that calls a throwing library catches there. A broken invariant (our own fault) aborts instead,
// see FM_CHECK in check.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "common/base/check.h"

namespace fleetmark::base {

// Each code names the caller's next move.
enum class ErrorCode {
  kInvalid,      // the request can never succeed: correct it
  kNotFound,     // the thing named does not exist
  kConflict,     // the state has moved on: look again
  kDenied,       // this peer or user may not do that
  kUnavailable,  // a dependency is away: try again later
  kOverloaded,   // too much at once: try again with a pause
  kUnsupported,  // not in this build or on this platform
  kInternal,     // our fault: report it with the id in the log
};

// Stable lower-case word for logs, JSON and SQL ("invalid", "not_found", ...).
std::string_view toString(ErrorCode code);
std::optional<ErrorCode> parseErrorCode(std::string_view word);

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;  // what is wrong, what was seen, what to do; never a secret

  bool operator==(const Error&) const = default;
};

inline Error invalid(std::string message) { return {ErrorCode::kInvalid, std::move(message)}; }
inline Error notFound(std::string message) { return {ErrorCode::kNotFound, std::move(message)}; }
inline Error conflict(std::string message) { return {ErrorCode::kConflict, std::move(message)}; }
inline Error denied(std::string message) { return {ErrorCode::kDenied, std::move(message)}; }
inline Error unavailable(std::string message) {
  return {ErrorCode::kUnavailable, std::move(message)};
}
inline Error overloaded(std::string message) {
  return {ErrorCode::kOverloaded, std::move(message)};
}
inline Error unsupported(std::string message) {
  return {ErrorCode::kUnsupported, std::move(message)};
}
inline Error internal(std::string message) { return {ErrorCode::kInternal, std::move(message)}; }

template <typename T>
class [[nodiscard]] Result {
 public:
  using value_type = T;

  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT: implicit
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return state_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    FM_CHECK(has_value());
    return std::get<0>(state_);
  }
  const T& value() const& {
    FM_CHECK(has_value());
    return std::get<0>(state_);
  }
  T&& value() && {
    FM_CHECK(has_value());
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const& {
    FM_CHECK(!has_value());
    return std::get<1>(state_);
  }
  Error&& error() && {
    FM_CHECK(!has_value());
    return std::get<1>(std::move(state_));
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using value_type = void;

  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT: implicit

  bool has_value() const { return !error_.has_value(); }
  explicit operator bool() const { return has_value(); }
  void value() const { FM_CHECK(has_value()); }
  const Error& error() const& {
    FM_CHECK(!has_value());
    return *error_;
  }

 private:
  std::optional<Error> error_;
};

using Status = Result<void>;

}  // namespace fleetmark::base

#define FM_CONCAT_INNER(a, b) a##b
#define FM_CONCAT(a, b) FM_CONCAT_INNER(a, b)

// FM_TRY(status-or-result): returns the error from the enclosing function, drops a value.
#define FM_TRY(expr) FM_TRY_IMPL(FM_CONCAT(fmTry, __LINE__), expr)
#define FM_TRY_IMPL(name, expr) \
  auto name = (expr);           \
  if (!name.has_value()) return std::move(name).error()

// FM_TRY_ASSIGN(auto x, result): declares or assigns x, or returns the error.
#define FM_TRY_ASSIGN(lhs, expr) FM_TRY_ASSIGN_IMPL(FM_CONCAT(fmTry, __LINE__), lhs, expr)
#define FM_TRY_ASSIGN_IMPL(name, lhs, expr)              \
  auto name = (expr);                                    \
  if (!name.has_value()) return std::move(name).error(); \
  lhs = std::move(name).value()
