// Bound parameters and typed rows. Private to this folder.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/clock.h"
#include "common/base/ids.h"
#include "common/base/units.h"
#include "common/model/host.h"
#include "coordinator/store/pqxx_compat.h"

namespace fleetmark::coordinator::store {

// A statement with a name, prepared once a connection.
struct Statement {
  const char* name;
  const char* sql;
};

struct Binary {  // bytea
  std::string_view bytes;
};
struct Json {  // json or jsonb; must be valid JSON, else the statement fails
  std::string_view text;
};
struct IntArray {
  std::span<const std::int64_t> values;
};
struct TextArray {
  std::span<const std::string> values;
};

// One array parameter, element by element: a column of the rows of a statement with unnest().
class Column {
 public:
  void text(std::string_view text);
  void json(std::string_view json);  // as Json
  void raw(std::string_view ascii);  // PostgreSQL's text form of the element's type
  void number(std::int64_t number);
  void real(const std::optional<double>& number);  // nothing: NULL
  void null();
  std::string literal() const { return text_ + "}"; }

 private:
  void next() {
    if (text_.size() > 1) text_.push_back(',');
  }
  std::string text_ = "{";
};

// PostgreSQL's text has no NUL and must be UTF-8: what a peer sent is repaired with U+FFFD.
std::string repairText(std::string_view text);
// As above for a JSON document, \u0000 included, which jsonb refuses.
std::string repairJson(std::string_view text);
// {"key": "value"} as JSON text.
std::string labelsJson(const model::Labels& labels);
model::Labels parseLabels(const std::string& json);
// Shortest form that reads back as the same number.
void appendDouble(std::string& out, double value);
// A string within an array literal, with its quotes.
void appendArrayText(std::string& out, std::string_view text);

// One parameter after the other, in the order of $1, $2, ...
class Params {
 public:
  Params() = default;
  template <typename... Args>
  static Params of(const Args&... args) {
    Params out;
    out.values_.reserve(sizeof...(args));
    (out.add(args), ...);
    return out;
  }

  void add(std::int64_t value) { values_.emplace_back(std::to_string(value)); }
  void add(std::int32_t value) { values_.emplace_back(std::to_string(value)); }
  void add(std::uint32_t value) { values_.emplace_back(std::to_string(value)); }
  void add(std::uint64_t value) { values_.emplace_back(std::to_string(value)); }
  void add(double value);
  void add(bool value) { values_.emplace_back(value ? "t" : "f"); }
  void add(base::Nanos value) { values_.emplace_back(std::to_string(value.count())); }
  void add(const std::string& text) { values_.emplace_back(repairText(text)); }
  void add(std::string_view text) { values_.emplace_back(repairText(text)); }
  void add(const char* text) { values_.emplace_back(repairText(text)); }
  void add(Binary value);
  void add(Json value) { values_.emplace_back(repairJson(value.text)); }
  void add(IntArray value);
  void add(TextArray value);
  void add(const Column& column) { values_.emplace_back(column.literal()); }
  void add(const base::Uuid& value) { values_.emplace_back(value.toString()); }
  template <typename Tag>
  void add(base::Id<Tag> id) {
    add(id.value);
  }
  template <typename T>
  void add(const std::optional<T>& value) {
    if (value) {
      add(*value);
    } else {
      values_.emplace_back(std::nullopt);
    }
  }
  // Already in PostgreSQL's text form.
  void addRaw(std::string literal) { values_.emplace_back(std::move(literal)); }
  void addNull() { values_.emplace_back(std::nullopt); }

  const compat::Values& values() const { return values_; }

 private:
  compat::Values values_;
};

// Reads the columns of one row from left to right. A column of another type than the statement
// promises throws, as any error of libpqxx does.
class RowReader {
 public:
  explicit RowReader(const pqxx::row& row) : row_(row) {}

  bool nextIsNull() const { return row_[column_].is_null(); }
  void skip() { ++column_; }
  std::int64_t int64() { return next().as<std::int64_t>(); }
  std::int32_t int32() { return next().as<std::int32_t>(); }
  std::uint32_t count() { return static_cast<std::uint32_t>(next().as<std::int64_t>()); }
  std::uint64_t uint64() { return next().as<std::uint64_t>(); }
  double number() { return next().as<double>(); }
  bool flag() { return std::string_view(next().c_str()) == "t"; }
  std::string text() { return std::string(next().c_str()); }  // empty for NULL
  base::Nanos nanos() { return base::Nanos(int64()); }
  base::WallTime time() { return base::fromUnixNanos(int64()); }  // of unix_ns(...)
  base::Uuid uuid() { return base::Uuid::parse(text()).value_or(base::Uuid()); }
  std::string binary();
  std::vector<std::string> texts();  // text[]; no element may be NULL
  std::vector<std::int64_t> int64s();
  // Of WITH ORDINALITY, which counts from 1, as an index.
  std::size_t place() { return static_cast<std::size_t>(int64() - 1); }
  template <typename Tag>
  base::Id<Tag> id() {
    return base::Id<Tag>{int64()};
  }
  std::optional<double> maybeNumber() {
    if (takeNull()) return std::nullopt;
    return number();
  }
  std::optional<std::int64_t> maybeInt64() {
    if (takeNull()) return std::nullopt;
    return int64();
  }
  std::optional<base::WallTime> maybeTime() {
    if (takeNull()) return std::nullopt;
    return time();
  }
  std::optional<std::string> maybeText() {
    if (takeNull()) return std::nullopt;
    return text();
  }

 private:
  using Column = pqxx::row::size_type;
  pqxx::field next() {
    auto field = row_[column_];
    ++column_;
    return field;
  }
  bool takeNull() {
    if (!nextIsNull()) return false;
    ++column_;
    return true;
  }

  pqxx::row row_;
  Column column_ = 0;
};

// Splits a one-dimensional array literal of numbers; NULL elements are nullopt.
std::vector<std::optional<std::string_view>> splitArray(std::string_view literal);

}  // namespace fleetmark::coordinator::store
