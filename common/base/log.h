// One line per event: time, level, a fixed event name, key=value pairs with ids.
//
//   log(LogLevel::kInfo, "step.claimed", {{"step", 12}, {"agent", name}});
//
// Never a secret: keys, tokens and connection strings don't go in. Safe on any thread.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace fleetmark::base {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogField {
  std::string_view key;
  std::string value;

  LogField(std::string_view k, std::string_view v) : key(k), value(v) {}
  LogField(std::string_view k, const char* v) : key(k), value(v) {}
  LogField(std::string_view k, const std::string& v) : key(k), value(v) {}
  LogField(std::string_view k, std::int64_t v) : key(k), value(std::to_string(v)) {}
  LogField(std::string_view k, int v) : key(k), value(std::to_string(v)) {}
  LogField(std::string_view k, std::size_t v) : key(k), value(std::to_string(v)) {}
};

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields = {});
void setLogLevel(LogLevel lowest);  // default kInfo; call once in main

}  // namespace fleetmark::base
