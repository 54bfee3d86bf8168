// A report as headings, paragraphs, tables, lists and charts, before it is Markdown or HTML: both
// forms are made from one document, so they can't say different things.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "coordinator/report/report_model.h"

namespace fleetmark::coordinator::report {

enum class SpanKind {
  kOwn,      // the report's own words
  kForeign,  // of users and hosts: may hold anything
  kCode,     // a name or fingerprint, of users and hosts as well
  kCommand,  // something to type, the report's own: no backtick in it
};

struct Span {
  SpanKind kind = SpanKind::kOwn;
  bool strong = false;
  std::string text;
};

// Text in a line, built piece by piece: own("Same machine: ").foreign(name).
class Line {
 public:
  Line() = default;
  Line(std::string_view ownText) { own(ownText); }                       // NOLINT: text of our own
  Line(const char* ownText) : Line(std::string_view(ownText)) {}         // NOLINT
  Line(const std::string& ownText) : Line(std::string_view(ownText)) {}  // NOLINT

  static Line ofForeign(std::string_view text) { return std::move(Line().foreign(text)); }
  static Line ofCode(std::string_view text) { return std::move(Line().code(text)); }

  Line& own(std::string_view text) { return add(SpanKind::kOwn, text); }
  Line& foreign(std::string_view text) { return add(SpanKind::kForeign, text); }
  Line& code(std::string_view text) { return add(SpanKind::kCode, text); }
  Line& command(std::string_view text) { return add(SpanKind::kCommand, text); }
  Line& append(const Line& other);
  Line& strong(const Line& other);  // appended, emphasised

  bool empty() const { return spans_.empty(); }
  const std::vector<Span>& spans() const { return spans_; }

 private:
  Line& add(SpanKind kind, std::string_view text);
  std::vector<Span> spans_;
};

// "a, b and c".
Line enumerate(const std::vector<Line>& items);

enum class Align { kLeft, kRight };

struct TableColumn {
  Line title;
  Align align = Align::kLeft;
};

struct Heading {
  int level = 2;  // 1 is the title
  Line text;
};
struct Paragraph {
  Line text;
};
// The first column names the row. An empty cell is shown as an em dash.
struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<Line>> rows;  // as many cells as columns
};
struct List {
  std::vector<Line> items;
};
struct Listing {
  std::string text;
  std::string language;  // "sh", "yaml"
};
// The samples of one column; only forms that can draw show it.
struct Chart {
  const Section* section = nullptr;
  std::size_t column = 0;
};

using Block = std::variant<Heading, Paragraph, Table, List, Listing, Chart>;
using Document = std::vector<Block>;

// Made in its place: g++ 12 takes a variant that was moved from for one that was never set.
template <typename Kind>
void append(Document& document, Kind block) {
  document.emplace_back(std::in_place_type<Kind>, std::move(block));
}

// Borrows from the model, which must outlive it.
Document buildDocument(const ReportModel& model);

}  // namespace fleetmark::coordinator::report
