#include "coordinator/report/markdown_text.h"

#include <algorithm>
#include <cctype>

#include "common/base/check.h"
#include "coordinator/report/text.h"
#include "coordinator/report/values.h"

namespace fleetmark::coordinator::report {

std::string escapeMarkdown(std::string_view text) {
  constexpr std::string_view kSpecial = "\\`*[]#|~$";
  std::string line = oneLine(text);
  auto isWord = [&](std::size_t i) {
    return i < line.size() && std::isalnum(static_cast<unsigned char>(line[i])) != 0;
  };
  std::string out;
  for (std::size_t i = 0; i < line.size(); ++i) {
    char c = line[i];
    if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      // An underscore inside a word marks nothing.
      bool marks = c == '_' ? !(i > 0 && isWord(i - 1) && isWord(i + 1))
                            : kSpecial.find(c) != std::string_view::npos;
      if (marks) out += '\\';
      out += c;
    }
  }
  return out;
}

std::string codeOrText(std::string_view text) {
  bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("._:/+-").find(c) != std::string_view::npos;
  });
  return plain ? "`" + std::string(text) + "`" : escapeMarkdown(text);
}

std::string fenced(std::string_view text, std::string_view language) {
  std::string body = plainLines(text);
  std::size_t longest = 0;
  std::size_t run = 0;
  for (char c : body) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string fence(std::max<std::size_t>(3, longest + 1), '`');
  if (!body.empty() && body.back() != '\n') body += '\n';
  return fence + std::string(language) + "\n" + body + fence + "\n";
}

std::string markdownTable(const std::vector<MarkdownColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows) {
  std::string head = "|";
  std::string rule = "|";
  for (const auto& column : columns) {
    head += " " + column.title + " |";
    rule += column.align == Align::kRight ? " ---: |" : " --- |";
  }
  std::string out = head + "\n" + rule + "\n";
  for (const auto& row : rows) {
    FM_CHECK(row.size() == columns.size());
    out += "|";
    for (const auto& cell : row) out += " " + (cell.empty() ? std::string(kNoNumber) : cell) + " |";
    out += "\n";
  }
  return out + "\n";
}

}  // namespace fleetmark::coordinator::report
