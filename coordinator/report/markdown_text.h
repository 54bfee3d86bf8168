// Markdown (GitHub's dialect) that says what was meant, whatever the text holds.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "coordinator/report/document.h"

namespace fleetmark::coordinator::report {

// Text of users and hosts inside a line: everything that Markdown or HTML would read is escaped,
// line breaks become spaces. Not for the beginning of a line.
std::string escapeMarkdown(std::string_view text);
// A code span where the text is plain (letters, digits and ._:/+-), escaped text otherwise.
std::string codeOrText(std::string_view text);
// A fenced block that no run of backticks in the text can close.
std::string fenced(std::string_view text, std::string_view language);

struct MarkdownColumn {
  std::string title;  // Markdown
  Align align = Align::kLeft;
};

// Cells are Markdown already; an empty one becomes an em dash. Ends with an empty line.
std::string markdownTable(const std::vector<MarkdownColumn>& columns,
                          const std::vector<std::vector<std::string>>& rows);

}  // namespace fleetmark::coordinator::report
