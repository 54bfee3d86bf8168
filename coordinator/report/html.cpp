#include "coordinator/report/html.h"

#include "coordinator/report/chart.h"
#include "coordinator/report/document.h"
#include "coordinator/report/html_style.h"
#include "coordinator/report/html_text.h"

namespace fleetmark::coordinator::report {

namespace {

constexpr std::string_view kReadingHelp =
    "Each dot is a sample: filled where it is valid, hollow where it is not. The bar is the median "
    "of the valid ones, the whisker its 95 % interval by ranks, which needs at least 6. Dots on "
    "the "
    "same place are drawn once. Resting the pointer on a dot shows its value.";

std::string htmlOf(const Span& span) {
  std::string text = escapeHtml(span.text);
  if (span.kind == SpanKind::kCode || span.kind == SpanKind::kCommand) {
    text = "<code>" + text + "</code>";
  }
  return span.strong ? "<strong>" + text + "</strong>" : text;
}

std::string htmlOf(const Line& line) {
  std::string out;
  for (const auto& span : line.spans()) out += htmlOf(span);
  return out;
}

std::string cellOf(const Line& text, Align align, std::string_view element,
                   std::string_view attributes) {
  std::string out = "<" + std::string(element) + std::string(attributes);
  if (align == Align::kRight) out += " class=\"right\"";
  return out + ">" + (text.empty() ? std::string(kNoNumber) : htmlOf(text)) + "</" +
         std::string(element) + ">";
}

struct HtmlWriter {
  std::string out;
  bool answered = false;   // the first paragraph is the answer
  bool explained = false;  // how to read a chart

  void operator()(const Heading& block) {
    std::string element = "h" + std::to_string(block.level);
    out += "<" + element + ">" + htmlOf(block.text) + "</" + element + ">\n";
  }
  void operator()(const Paragraph& block) {
    out += (answered ? "<p>" : "<p class=\"answer\">") + htmlOf(block.text) + "</p>\n";
    answered = true;
  }
  void operator()(const Table& block) {
    out += "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr>";
    for (const auto& column : block.columns) {
      out += cellOf(column.title, column.align, "th", " scope=\"col\"");
    }
    out += "</tr></thead><tbody>\n";
    for (const auto& row : block.rows) {
      out += "<tr>";
      for (std::size_t i = 0; i < row.size(); ++i) {
        out += i == 0 ? cellOf(row[i], block.columns[i].align, "th", " scope=\"row\"")
                      : cellOf(row[i], block.columns[i].align, "td", "");
      }
      out += "</tr>\n";
    }
    out += "</tbody></table></div>\n";
  }
  void operator()(const List& block) {
    out += "<ul>\n";
    for (const auto& item : block.items) out += "<li>" + htmlOf(item) + "</li>\n";
    out += "</ul>\n";
  }
  void operator()(const Listing& block) {
    out += "<pre><code>" + escapeHtmlLines(block.text) + "</code></pre>\n";
  }
  void operator()(const Chart& block) {
    std::string chart = chartHtml(*block.section, block.column);
    if (chart.empty()) return;
    if (!explained) out += "<p class=\"n\">" + std::string(kReadingHelp) + "</p>\n";
    explained = true;
    out += chart;
  }
};

}  // namespace

std::string renderHtml(const ReportModel& model) {
  HtmlWriter writer;
  std::string title = model.title.empty() ? "Campaign without a name" : model.title;
  // The policy is for the reader: whatever the text holds, nothing is fetched and nothing runs.
  writer.out =
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"generator\" content=\"fleetmark " +
      escapeHtml(model.data->coordinatorVersion) + "\">\n<title>" + escapeHtml(title) +
      "</title>\n<style>" + std::string(kStyle) + "</style>\n</head>\n<body>\n<main>\n";
  for (const auto& block : buildDocument(model)) std::visit(writer, block);
  return std::move(writer.out) + "</main>\n</body>\n</html>\n";
}

}  // namespace fleetmark::coordinator::report
