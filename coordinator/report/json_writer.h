// Writes JSON as it goes, members in the order of the calls, without a document in memory.
//
//   json.beginObject(); json.member("n").number(3.0); json.endObject();
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "coordinator/report/output.h"

namespace fleetmark::coordinator::report {

// kLines: members on lines of their own, indented; kCompact: on one line.
enum class Layout { kLines, kCompact };

class JsonWriter {
 public:
  explicit JsonWriter(Pieces& out) : out_(out) {}

  void beginObject(Layout layout = Layout::kLines) { begin('{', layout); }
  void endObject() { end('}'); }
  void beginArray(Layout layout = Layout::kLines) { begin('[', layout); }
  void endArray() { end(']'); }
  JsonWriter& member(std::string_view name);  // the next call gives its value

  void text(std::string_view value);
  void textOrNull(std::string_view value);  // empty: null
  void number(std::int64_t value);
  void number(std::optional<double> value);  // absent or not finite: null
  void number(double value) { number(std::optional<double>(value)); }
  void boolean(std::optional<bool> value);
  void null();
  // A JSON object as text, printed on one line; null when it is none.
  void document(std::string_view json);

 private:
  struct Level {
    Layout layout;
    bool empty = true;
  };
  void begin(char bracket, Layout layout);
  void end(char bracket);
  void beforeValue();
  void separate();
  void newLine();

  Pieces& out_;
  std::vector<Level> levels_;
  bool afterName_ = false;
};

}  // namespace fleetmark::coordinator::report
