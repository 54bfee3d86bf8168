#include "coordinator/store/sql.h"

#include <charconv>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/base/check.h"
#include "common/base/hex.h"

namespace fleetmark::coordinator::store {

namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the valid UTF-8 sequence at the start of `text`, 0 when there is none.
std::size_t sequenceLength(std::string_view text) {
  auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char first = byte(0);
  if (first == 0) return 0;
  if (first < 0x80) return 1;
  std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (first == 0xE0 && byte(1) < 0xA0) return 0;  // overlong
  if (first == 0xED && byte(1) > 0x9F) return 0;  // surrogate
  if (first == 0xF0 && byte(1) < 0x90) return 0;  // overlong
  if (first == 0xF4 && byte(1) > 0x8F) return 0;  // over U+10FFFF
  return length;
}

}  // namespace

std::string repairText(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    std::size_t length = sequenceLength(text);
    if (length == 0) {
      out.append(kReplacement);
      text.remove_prefix(1);
    } else {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
    }
  }
  return out;
}

std::string repairJson(std::string_view text) {
  std::string out = repairText(text);
  std::size_t at = 0;
  while ((at = out.find('\\', at)) != std::string::npos) {
    if (out.compare(at, 6, "\\u0000") == 0) out.replace(at, 6, "\\ufffd");
    at += 2;  // the character after a backslash never begins another escape
  }
  return out;
}

std::string labelsJson(const model::Labels& labels) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [key, value] : labels) object[repairText(key)] = repairText(value);
  return object.dump();
}

model::Labels parseLabels(const std::string& json) {
  model::Labels out;
  auto object = nlohmann::json::parse(json, nullptr, false);
  if (!object.is_object()) return out;
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) out[key] = value.get<std::string>();
  }
  return out;
}

void appendDouble(std::string& out, double value) {
  char buffer[32];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value);
  FM_CHECK(end.ec == std::errc());
  out.append(buffer, end.ptr);
}

void appendArrayText(std::string& out, std::string_view text) {
  out.push_back('"');
  for (char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

void Column::text(std::string_view text) {
  next();
  appendArrayText(text_, repairText(text));
}
void Column::json(std::string_view json) {
  next();
  appendArrayText(text_, repairJson(json));
}
void Column::raw(std::string_view ascii) {
  next();
  appendArrayText(text_, ascii);
}
void Column::number(std::int64_t number) {
  next();
  text_ += std::to_string(number);
}
void Column::real(const std::optional<double>& number) {
  if (!number) return null();
  next();
  appendDouble(text_, *number);
}
void Column::null() {
  next();
  text_ += "NULL";
}

void Params::add(double value) {
  std::string text;
  appendDouble(text, value);
  values_.emplace_back(std::move(text));
}

void Params::add(Binary value) { values_.emplace_back("\\x" + base::toHex(value.bytes)); }

void Params::add(IntArray value) {
  std::string text = "{";
  for (std::int64_t number : value.values) {
    if (text.size() > 1) text.push_back(',');
    text += std::to_string(number);
  }
  text.push_back('}');
  values_.emplace_back(std::move(text));
}

void Params::add(TextArray value) {
  std::string text = "{";
  for (const std::string& item : value.values) {
    if (text.size() > 1) text.push_back(',');
    appendArrayText(text, repairText(item));
  }
  text.push_back('}');
  values_.emplace_back(std::move(text));
}

std::string RowReader::binary() {
  std::string_view text = next().c_str();
  if (text.starts_with("\\x")) text.remove_prefix(2);
  return base::fromHex(text).value_or(std::string());
}

std::vector<std::int64_t> RowReader::int64s() {
  std::vector<std::int64_t> out;
  for (const auto& item : splitArray(next().c_str())) {
    std::int64_t number = 0;
    const bool whole =
        item && std::from_chars(item->data(), item->data() + item->size(), number).ptr ==
                    item->data() + item->size();
    if (!whole) throw std::runtime_error("an array holds something else than whole numbers");
    out.push_back(number);
  }
  return out;
}

std::vector<std::string> RowReader::texts() {
  std::vector<std::string> out;
  std::string_view literal = next().c_str();
  if (literal.size() < 2) return out;
  literal = literal.substr(1, literal.size() - 2);
  std::string item;
  bool quoted = false;
  bool any = false;
  for (std::size_t i = 0; i < literal.size(); ++i) {
    char c = literal[i];
    any = true;
    if (quoted && c == '\\' && i + 1 < literal.size()) {
      item.push_back(literal[++i]);
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.push_back(std::move(item));
      item.clear();
    } else {
      item.push_back(c);
    }
  }
  if (any) out.push_back(std::move(item));
  return out;
}

std::vector<std::optional<std::string_view>> splitArray(std::string_view literal) {
  std::vector<std::optional<std::string_view>> out;
  if (literal.size() <= 2) return out;
  literal = literal.substr(1, literal.size() - 2);
  while (true) {
    std::size_t comma = literal.find(',');
    std::string_view item = literal.substr(0, comma);
    if (item == "NULL") {
      out.emplace_back(std::nullopt);
    } else {
      out.emplace_back(item);
    }
    if (comma == std::string_view::npos) return out;
    literal.remove_prefix(comma + 1);
  }
}

}  // namespace fleetmark::coordinator::store
