#include "coordinator/loader/fields.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace fleetmark::coordinator::loader {

namespace {

void wants(const Field& field, std::string_view what, Issues& issues) {
  std::string seen = describe(*field.node);
  if (field.node->kind == NodeKind::kScalar && field.node->quoting == Quoting::kQuoted) {
    seen += " in quotes";
  }
  issues.add(field.place(), field.label + " must be " + std::string(what) + ", saw " + seen);
}

// For kinds that are written without quotes.
bool isPlain(const Field& field) {
  return field.node->kind == NodeKind::kScalar && field.node->quoting == Quoting::kPlain;
}

template <typename T, typename Format>
bool inRange(const Field& field, T value, T min, T max, Format format, Issues& issues) {
  if (value < min) {
    issues.add(field.place(),
               field.label + " is " + quoted(field.node->text) + "; the least is " + format(min));
    return false;
  }
  if (value > max) {
    issues.add(field.place(),
               field.label + " is " + quoted(field.node->text) + "; the most is " + format(max));
    return false;
  }
  return true;
}

std::string withoutSpace(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

std::string decimalText(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%g", value);
  return buffer;
}

}  // namespace

Fields::Fields(const Node& mapping, std::string where, std::vector<std::string_view> known,
               Issues& issues)
    : mapping_(mapping), where_(std::move(where)), issues_(issues) {
  for (const auto& key : mapping.keys) {
    if (issues.full()) return;
    if (std::find(known.begin(), known.end(), key.text) != known.end()) continue;
    issues.add(key.place, "unknown key " + quoted(key.text) + " under " + where_ +
                              suggestion(key.text, known));
  }
}

std::optional<Field> Fields::find(std::string_view key) const {
  for (std::size_t i = 0; i < mapping_.keys.size(); ++i) {
    if (mapping_.keys[i].text != key) continue;
    return Field{&mapping_.items[i], mapping_.keys[i].place,
                 "'" + std::string(key) + "' under " + where_};
  }
  return std::nullopt;
}

std::optional<Field> Fields::require(std::string_view key, std::string_view hint) const {
  auto field = find(key);
  if (!field) {
    issues_.add(mapping_.place,
                "'" + std::string(key) + "' is missing under " + where_ + "; " + std::string(hint));
  }
  return field;
}

std::optional<std::string> readText(const Field& field, Empty empty, Issues& issues) {
  if (field.node->kind != NodeKind::kScalar) {
    wants(field, "a text", issues);
    return std::nullopt;
  }
  if (empty == Empty::kRefused && field.node->text.empty()) {
    issues.add(field.place(), field.label + " is empty");
    return std::nullopt;
  }
  return field.node->text;
}

std::optional<std::string> readName(const Field& field, Issues& issues) {
  auto text = readText(field, Empty::kRefused, issues);
  if (!text) return std::nullopt;
  auto isLower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
  bool valid = text->size() <= 63 && text->front() != '-' &&
               std::all_of(text->begin(), text->end(),
                           [&](char c) { return isLower(c) || isDigit(c) || c == '-'; });
  if (!valid) {
    issues.add(field.place(), field.label + " is " + quoted(*text) +
                                  "; a name has lower-case letters, digits and hyphens, begins "
                                  "with a letter or digit, and has at most 63 characters");
    return std::nullopt;
  }
  if (std::none_of(text->begin(), text->end(), isLower)) {
    issues.add(field.place(), field.label + " is " + quoted(*text) +
                                  "; a name needs a letter, or it would read as a number");
    return std::nullopt;
  }
  return text;
}

std::optional<bool> readFlag(const Field& field, Issues& issues) {
  if (isPlain(field) && field.node->text == "true") return true;
  if (isPlain(field) && field.node->text == "false") return false;
  wants(field, "true or false", issues);
  return std::nullopt;
}

std::optional<std::int64_t> readCount(const Field& field, std::int64_t min, std::int64_t max,
                                      Issues& issues) {
  const std::string& text = field.node->text;
  bool digits = isPlain(field) && !text.empty() &&
                std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!digits || (text.size() > 1 && text[0] == '0')) {
    wants(field, "a whole number", issues);
    return std::nullopt;
  }
  std::int64_t value = 0;
  auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc()) value = INT64_MAX;  // out of range, and so over any limit
  auto format = [](std::int64_t limit) { return std::to_string(limit); };
  if (code != std::errc() && max == INT64_MAX) {
    issues.add(field.place(), field.label + " is " + quoted(text) + "; the most is " + format(max));
    return std::nullopt;
  }
  if (!inRange(field, value, min, max, format, issues)) return std::nullopt;
  return value;
}

std::optional<double> readDecimal(const Field& field, double min, double max, Issues& issues) {
  const std::string& text = field.node->text;
  double value = 0;
  auto [rest, code] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  bool plainDigits = !text.empty() && text[0] >= '0' && text[0] <= '9';
  if (!isPlain(field) || !plainDigits || code != std::errc() || rest != text.data() + text.size()) {
    wants(field, "a number such as 0.3", issues);
    return std::nullopt;
  }
  if (!inRange(field, value, min, max, decimalText, issues)) return std::nullopt;
  return value;
}

std::optional<base::Nanos> readDuration(const Field& field, base::Nanos min, base::Nanos max,
                                        Issues& issues) {
  if (field.node->kind != NodeKind::kScalar) {
    wants(field, "a duration such as 30s", issues);
    return std::nullopt;
  }
  auto value = base::parseDuration(field.node->text);
  if (!value) {
    issues.add(field.place(), field.label + ": " + value.error().message);
    return std::nullopt;
  }
  if (!inRange(field, *value, min, max, base::formatDuration, issues)) return std::nullopt;
  return *value;
}

std::optional<base::Bytes> readBytes(const Field& field, base::Bytes min, base::Bytes max,
                                     Issues& issues) {
  if (field.node->kind != NodeKind::kScalar) {
    wants(field, "a size such as 128MiB", issues);
    return std::nullopt;
  }
  auto value = base::parseBytes(field.node->text);
  if (!value) {
    issues.add(field.place(), field.label + ": " + value.error().message);
    return std::nullopt;
  }
  auto format = [](base::Bytes limit) { return withoutSpace(base::formatBytes(limit)); };
  if (!inRange(field, *value, min, max, format, issues)) return std::nullopt;
  return *value;
}

std::optional<std::string> readChoice(const Field& field,
                                      const std::vector<std::string_view>& choices,
                                      Issues& issues) {
  const Node& node = *field.node;
  if (node.kind != NodeKind::kScalar) {
    wants(field, "one of " + joined(choices), issues);
    return std::nullopt;
  }
  if (std::find(choices.begin(), choices.end(), node.text) == choices.end()) {
    issues.add(field.place(),
               field.label + " can't be " + quoted(node.text) + suggestion(node.text, choices));
    return std::nullopt;
  }
  return node.text;
}

bool isMapping(const Field& field, Issues& issues) {
  if (field.node->kind == NodeKind::kMapping) return true;
  wants(field, "a mapping (key: value)", issues);
  return false;
}

bool isList(const Field& field, Issues& issues) {
  if (field.node->kind == NodeKind::kSequence) return true;
  wants(field, "a list", issues);
  return false;
}

}  // namespace fleetmark::coordinator::loader
