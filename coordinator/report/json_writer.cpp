#include "coordinator/report/json_writer.h"

#include <string>

#include "common/base/check.h"
#include "coordinator/report/stored_json.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

void JsonWriter::newLine() {
  out_.add("\n");
  for (std::size_t i = 0; i < levels_.size(); ++i) out_.add(" ");
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_.add(",");
  level.empty = false;
  if (level.layout == Layout::kLines) newLine();
}

void JsonWriter::beforeValue() {
  if (!afterName_) separate();
  afterName_ = false;
}

void JsonWriter::begin(char bracket, Layout layout) {
  beforeValue();
  out_.add(std::string_view(&bracket, 1));
  levels_.push_back({layout, true});
}

void JsonWriter::end(char bracket) {
  FM_CHECK(!levels_.empty() && !afterName_);
  Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && level.layout == Layout::kLines) newLine();
  out_.add(std::string_view(&bracket, 1));
}

JsonWriter& JsonWriter::member(std::string_view name) {
  FM_CHECK(!afterName_);
  separate();
  out_.add(quoteJson(name));
  out_.add(levels_.back().layout == Layout::kLines ? ": " : ":");
  afterName_ = true;
  return *this;
}

void JsonWriter::text(std::string_view value) {
  beforeValue();
  out_.add(quoteJson(value));
}

void JsonWriter::textOrNull(std::string_view value) {
  if (value.empty()) return null();
  text(value);
}

void JsonWriter::number(std::int64_t value) {
  beforeValue();
  out_.add(std::to_string(value));
}

void JsonWriter::number(std::optional<double> value) {
  std::string digits = value ? exactNumber(*value) : std::string();
  if (digits.empty()) return null();
  beforeValue();
  out_.add(digits);
}

void JsonWriter::boolean(std::optional<bool> value) {
  if (!value) return null();
  beforeValue();
  out_.add(*value ? "true" : "false");
}

void JsonWriter::null() {
  beforeValue();
  out_.add("null");
}

void JsonWriter::document(std::string_view json) {
  auto compact = compactObject(json);
  if (!compact) return null();
  beforeValue();
  out_.add(*compact);
}

}  // namespace fleetmark::coordinator::report
