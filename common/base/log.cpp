#include "common/base/log.h"

#include <atomic>
#include <cstdio>

#include "common/base/clock.h"

namespace fleetmark::base {

namespace {

std::atomic<LogLevel> lowestLevel{LogLevel::kInfo};

std::string_view word(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return "debug";
    case LogLevel::kInfo:
      return "info";
    case LogLevel::kWarning:
      return "warning";
    case LogLevel::kError:
      return "error";
  }
  return "error";
}

void appendValue(std::string& line, std::string_view value) {
  bool plain = !value.empty();
  for (char c : value) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 0x7f) plain = false;
  }
  if (plain) {
    line += value;
    return;
  }
  line += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      line += '\\';
      line += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char buffer[8];
      std::snprintf(buffer, sizeof buffer, "\\x%02x", static_cast<unsigned char>(c));
      line += buffer;
    } else {
      line += c;
    }
  }
  line += '"';
}

}  // namespace

void setLogLevel(LogLevel lowest) { lowestLevel = lowest; }

void log(LogLevel level, std::string_view event, std::initializer_list<LogField> fields) {
  if (level < lowestLevel.load()) return;
  std::string line = formatWall(SystemClock().wall());
  line += ' ';
  line += word(level);
  line += ' ';
  line += event;
  for (const auto& field : fields) {
    line += ' ';
    line += field.key;
    line += '=';
    appendValue(line, field.value);
  }
  line += '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);  // one write: lines don't mix
}

}  // namespace fleetmark::base
