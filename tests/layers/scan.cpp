#include "tests/layers/scan.h"

#include <cctype>
#include <optional>

namespace fleetmark::layers {
namespace {

// Comments become blanks, and so do strings outside directives (a path in quotes must survive).
// Line ends stay, so that lines can be counted.
std::string blankOut(std::string_view text) {
  std::string out(text);
  std::size_t at = 0;
  bool directive = false;
  bool lineIsBlank = true;
  const auto blank = [&out](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to && i < out.size(); ++i) {
      if (out[i] != '\n') out[i] = ' ';
    }
  };
  const auto endOf = [&text](std::string_view mark, std::size_t from) {
    const std::size_t found = text.find(mark, from);
    return found == std::string_view::npos ? text.size() : found + mark.size();
  };
  while (at < text.size()) {
    const char c = text[at];
    const std::string_view rest = text.substr(at);
    std::size_t next = at + 1;
    if (c == '\\' && rest.size() > 1) {
      next = at + 2;
    } else if (c == '\n') {
      directive = false;
      lineIsBlank = true;
    } else if (rest.substr(0, 2) == "//") {
      next = text.find('\n', at);
      if (next == std::string_view::npos) next = text.size();
      blank(at, next);
    } else if (rest.substr(0, 2) == "/*") {
      next = endOf("*/", at + 2);
      blank(at, next);
    } else if (c == '#' && lineIsBlank) {
      directive = true;
      lineIsBlank = false;
    } else if (!directive && rest.substr(0, 2) == "R\"") {
      const std::size_t open = text.find('(', at);
      if (open == std::string_view::npos) break;
      const std::string close = ")" + std::string(text.substr(at + 2, open - at - 2)) + "\"";
      next = endOf(close, open);
      blank(at, next);
      lineIsBlank = false;
    } else if (!directive && c == '"') {
      while (next < text.size() && text[next] != '"' && text[next] != '\n') {
        next += text[next] == '\\' ? 2 : 1;
      }
      if (next < text.size() && text[next] == '"') ++next;
      blank(at, next);
      lineIsBlank = false;
    } else if (!directive && c == '\'' && at > 0 &&
               std::isalnum(static_cast<unsigned char>(text[at - 1])) == 0) {
      // A character; after a letter or digit the mark separates digits.
      if (next < text.size() && text[next] == '\\') ++next;
      next = endOf("'", next + 1);
      blank(at, next);
      lineIsBlank = false;
    } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      lineIsBlank = false;
    }
    at = next;
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

std::optional<Directive> parse(std::string_view line, std::size_t number) {
  line = trimmed(line);
  if (line.empty() || line.front() != '#') return std::nullopt;
  line = trimmed(line.substr(1));
  std::size_t end = 0;
  while (end < line.size() && std::isalpha(static_cast<unsigned char>(line[end])) != 0) ++end;
  const std::string_view word = line.substr(0, end);
  const std::string_view rest = trimmed(line.substr(end));
  if (word == "include" || word == "import" || word == "include_next") {
    if (rest.size() < 2) return std::nullopt;
    const char close = rest.front() == '<' ? '>' : '"';
    const std::string path(rest.substr(1, rest.find(close, 1) - 1));
    return Directive{close == '>' ? DirectiveKind::kInclude : DirectiveKind::kProjectInclude,
                     number, path};
  }
  if (word == "if" || word == "ifdef" || word == "ifndef" || word == "elif") {
    return Directive{DirectiveKind::kCondition, number, std::string(rest)};
  }
  if (word == "pragma" && rest == "once") return Directive{DirectiveKind::kPragmaOnce, number, {}};
  return std::nullopt;
}

}  // namespace

std::vector<Directive> scanDirectives(std::string_view text) {
  const std::string code = blankOut(text);
  std::vector<Directive> found;
  std::string line;
  std::size_t number = 1;
  std::size_t began = 1;
  for (std::size_t at = 0; at <= code.size(); ++at) {
    const bool end = at == code.size() || code[at] == '\n';
    if (!end) {
      line += code[at];
      continue;
    }
    ++number;
    if (at < code.size() && !line.empty() && line.back() == '\\') {
      line.back() = ' ';
      continue;
    }
    if (auto directive = parse(line, began)) found.push_back(std::move(*directive));
    line.clear();
    began = number;
  }
  return found;
}

}  // namespace fleetmark::layers
