#include "coordinator/report/document.h"

#include "coordinator/report/document_parts.h"

namespace fleetmark::coordinator::report {

namespace {

void addGapBlocks(const ReportModel& model, Document& out) {
  append(out, Heading{2, "What was not measured, and why"});
  if (model.gaps.empty()) {
    append(out, Paragraph{model.data->steps.empty() ? "The campaign has no steps."
                                                    : "Everything requested was measured."});
    return;
  }
  List list;
  for (const auto& gap : model.gaps) {
    Line where = whereLine(*gap.step);
    if (!gap.metric.empty()) where.own(" / ").foreign(gap.metric);
    Line line;
    line.strong(where).own(" " + std::string(toString(gap.status)));
    if (gap.why.empty()) line.own(": no reason was recorded");
    for (std::size_t i = 0; i < gap.why.size(); ++i) {
      line.own(i == 0 ? ": " : "; ").foreign(gap.why[i]);
    }
    list.items.push_back(std::move(line));
  }
  append(out, std::move(list));
}

void addNoticeBlocks(const ReportModel& model, Document& out) {
  List notices;
  List failures;
  for (const auto& section : model.sections) {
    for (const auto& row : section.steps) {
      for (const auto& notice : row.step->notices) {
        Line where = whereLine(*row.step).own(" / ").foreign(notice.stage);
        notices.items.push_back(Line().strong(where).own(": ").foreign(notice.message));
      }
      for (const auto& failure : row.step->failedAttempts) {
        failures.items.push_back(Line().strong(whereLine(*row.step)).own(": ").foreign(failure));
      }
    }
  }
  append(out, Heading{2, "Notices"});
  if (notices.items.empty()) {
    append(out, Paragraph{"None."});
  } else {
    append(out, std::move(notices));
  }
  if (failures.items.empty()) return;
  append(out, Heading{2, "Attempts that failed"});
  append(
      out,
      Paragraph{
          "Infrastructure failed here and the step was tried again; nothing of these attempts is "
          "in the figures."});
  append(out, std::move(failures));
}

void addCampaignBlocks(const ReportModel& model, Document& out) {
  const auto& data = *model.data;
  const auto& campaign = data.campaign;
  Table table{{{"What"}, {"Value"}}, {}};
  auto add = [&](std::string_view name, Line text) {
    table.rows.push_back({Line(name), std::move(text)});
  };
  add("Campaign",
      Line::ofForeign(campaign.name).own(" (id " + std::to_string(campaign.id.value) + ")"));
  if (!data.description.empty()) add("Description", Line::ofForeign(data.description));
  add("State", domain::toString(campaign.state));
  std::string when = formatTime(campaign.submittedAt);
  if (campaign.finishedAt) {
    when += " to " + formatTime(*campaign.finishedAt) + " (" +
            formatSpan(*campaign.finishedAt - campaign.submittedAt) + ")";
  } else {
    when += ", not ended when this report was made";
  }
  add("Time", when);
  add("Order", std::string(model::toString(data.order)) + ", seed " + std::to_string(data.seed));
  add("Coordinator", Line("fleetmark ").foreign(data.coordinatorVersion));
  std::vector<Line> runners;
  for (const auto& runner : data.runners) {
    Line text = Line::ofForeign(runner.name);
    if (!runner.labels.empty()) {
      text.own(" (").foreign(model::describeLabels(runner.labels)).own(")");
    }
    runners.push_back(std::move(text));
  }
  add("Runners", enumerate(runners));
  append(out, std::move(table));
}

void addProfileBlocks(const ReportModel& model, Document& out) {
  if (model.profiles.empty()) return;
  Table table{{{"Probe"}, {"Protocol", Align::kRight}, {"Fingerprint"}, {"Parameters"}}, {}};
  for (const auto& profile : model.profiles) {
    std::string words;
    for (const auto& parameter : profile.parameters) {
      words += (words.empty() ? "" : ", ") + parameter.name + " " + parameter.text;
    }
    table.rows.push_back({Line::ofForeign(profile.probe), std::to_string(profile.protocol),
                          Line::ofCode(profile.fingerprint), Line::ofForeign(words)});
  }
  append(
      out,
      Paragraph{
          "Only figures under the same fingerprint were measured the same way and may be compared. "
          "It covers protocol and parameters; runner, provider and paths are outside it."});
  append(out, std::move(table));
}

}  // namespace

Line& Line::add(SpanKind kind, std::string_view text) {
  if (!text.empty()) spans_.push_back({kind, false, std::string(text)});
  return *this;
}

Line& Line::append(const Line& other) {
  spans_.insert(spans_.end(), other.spans_.begin(), other.spans_.end());
  return *this;
}

Line& Line::strong(const Line& other) {
  for (Span span : other.spans_) {
    span.strong = true;
    spans_.push_back(std::move(span));
  }
  return *this;
}

Line enumerate(const std::vector<Line>& items) {
  Line out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) out.own(i + 1 == items.size() ? " and " : ", ");
    out.append(items[i]);
  }
  return out;
}

Line whereLine(const ports::ReportStep& step) {
  Line out = Line::ofForeign(step.runner).own(" / ").foreign(step.probe);
  out.own(" ").code(step.fingerprint);
  if (step.trial > 1) out.own(" / trial " + formatCount(step.trial));
  return out;
}

Document buildDocument(const ReportModel& model) {
  Document out;
  append(out, Heading{1, model.title.empty() ? Line("Campaign without a name")
                                             : Line::ofForeign(model.title)});
  append(out, Paragraph{Line::ofForeign(model.answer)});
  for (const auto& runners : model.sharedMachines) {
    std::vector<Line> names;
    for (const auto& name : runners) names.push_back(Line::ofForeign(name));
    append(
        out,
        Paragraph{
            Line("Same machine: ")
                .append(enumerate(names))
                .own(" ran on one machine, one after another, so a difference between them is no "
                     "difference of hardware.")});
  }
  if (!model.sections.empty()) addHeadlineBlocks(model, out);
  append(out, Heading{2, "What was compared"});
  addCampaignBlocks(model, out);
  addProfileBlocks(model, out);
  addSectionBlocks(model, out);
  addGapBlocks(model, out);
  addNoticeBlocks(model, out);
  addOrderBlocks(model, out);
  addMachineBlocks(model, out);
  addMethodBlocks(model, out);
  addReproduceBlocks(model, out);
  return out;
}

}  // namespace fleetmark::coordinator::report
