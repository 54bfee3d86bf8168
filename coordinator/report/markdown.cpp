#include "coordinator/report/markdown.h"

#include "coordinator/report/document.h"
#include "coordinator/report/markdown_text.h"

namespace fleetmark::coordinator::report {

namespace {

std::string markdownOf(const Span& span) {
  switch (span.kind) {
    case SpanKind::kOwn:
      return span.text;
    case SpanKind::kForeign:
      return escapeMarkdown(span.text);
    case SpanKind::kCode:
      return codeOrText(span.text);
    case SpanKind::kCommand:
      return "`" + span.text + "`";
  }
  return {};
}

std::string markdownOf(const Line& line) {
  std::string out;
  bool strong = false;
  for (const auto& span : line.spans()) {
    if (span.strong != strong) out += "**";
    strong = span.strong;
    out += markdownOf(span);
  }
  return out + (strong ? "**" : "");
}

struct MarkdownWriter {
  std::string out;

  void operator()(const Heading& block) {
    out += std::string(static_cast<std::size_t>(block.level), '#') + " " + markdownOf(block.text) +
           "\n\n";
  }
  void operator()(const Paragraph& block) { out += markdownOf(block.text) + "\n\n"; }
  void operator()(const Table& block) {
    std::vector<MarkdownColumn> columns;
    for (const auto& column : block.columns) {
      columns.push_back({markdownOf(column.title), column.align});
    }
    std::vector<std::vector<std::string>> rows;
    for (const auto& row : block.rows) {
      auto& cells = rows.emplace_back();
      for (const auto& cell : row) cells.push_back(markdownOf(cell));
    }
    out += markdownTable(columns, rows);
  }
  void operator()(const List& block) {
    for (const auto& item : block.items) out += "- " + markdownOf(item) + "\n";
    out += "\n";
  }
  void operator()(const Listing& block) { out += fenced(block.text, block.language) + "\n"; }
  void operator()(const Chart&) {}
};

}  // namespace

std::string renderMarkdown(const ReportModel& model) {
  MarkdownWriter writer;
  for (const auto& block : buildDocument(model)) std::visit(writer, block);
  while (writer.out.ends_with("\n\n")) writer.out.pop_back();
  return std::move(writer.out);
}

}  // namespace fleetmark::coordinator::report
