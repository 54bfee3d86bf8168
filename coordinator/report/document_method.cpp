#include <algorithm>
#include <set>

#include "coordinator/report/document_parts.h"

namespace fleetmark::coordinator::report {

namespace {

struct ProbeMethod {
  std::string_view probe;
  std::string_view text;
};

constexpr ProbeMethod kMethods[] = {
    {"cpu",
     "A single thread runs fleetmark's own integer kernel over 2,000 bytes of data and counts "
     "iterations. On Linux and Windows it is bound to one logical CPU and a refused binding is a "
     "failure. The figure describes machine, compiler and flags together; it is no CoreMark "
     "score."},
    {"disk",
     "A single worker keeps one request in flight: 1 MiB requests in sequence, 4 KiB requests at "
     "random. The operating system's cache is bypassed and the bypass is proved for each sample; "
     "without the proof a sample is unverified. Write times end after the flush. In a virtual "
     "machine the bypass reaches the guest's cache only."},
    {"internet",
     "One HTTP/1.1 stream at a time to the server named, over one persistent connection a sample "
     "and in sequential requests; name, TCP, TLS and a warm-up stand before the window. Mbps are "
     "decimal megabits of payload. An upload ends with the last answer's last byte. The request "
     "time is a zero-byte request on a new connection, with name, TCP and TLS; it is no round "
     "trip time. Figures hold for that server at that time, and what was unavailable has none."},
    {"selftest", "Measures nothing: its values can be computed again and test the fleet itself."},
};

bool seedIsWritten(std::string_view yaml) {
  return yaml.starts_with("seed:") || yaml.find("\nseed:") != std::string_view::npos;
}

}  // namespace

void addMethodBlocks(const ReportModel& model, Document& out) {
  append(out, Heading{2, "Method and caveats"});
  List list;
  auto add = [&](std::string_view subject, const Line& text) {
    list.items.push_back(Line().strong(Line(subject)).append(text));
  };
  std::set<std::string> said;
  std::set<std::string> methods;
  for (const auto& section : model.sections) {
    for (const auto& step : section.steps) {
      for (const auto& row : step.metrics) {
        if (!row.method.empty()) methods.insert(row.method);
      }
    }
    for (const auto& method : kMethods) {
      if (method.probe != section.probe || !said.insert(section.probe).second) continue;
      add(section.probe, Line(": ").own(method.text));
    }
  }
  add("Samples",
      ": only samples with the verdict ok enter the figures. All others stay in result.json and "
      "samples.csv with their reasons, and none was repeated to replace them.");
  add("Variation",
      " is the population coefficient of variation: the root of the mean squared deviation, "
      "divided by the mean. A single sample has none.");
  add("Percentiles",
      " are taken by nearest rank. p95 is printed from 20 valid samples on, p99 from 300; below "
      "that the maximum has to do.");
  if (!methods.empty()) {
    Line ids(":");
    for (const auto& method : methods) ids.own(" ").code(method);
    add("Statistics method", ids);
  }
  add("Samples are not machines",
      ": several samples of one machine say how steady it was, not how much machines of its kind "
      "differ. With few samples an order of medians is no proof of a difference.");
  add("One probe at a time",
      " runs on a machine. Other guests of the same hardware can't be seen from inside and may "
      "still have disturbed it.");
  append(out, std::move(list));
}

void addReproduceBlocks(const ReportModel& model, Document& out) {
  const auto& data = *model.data;
  append(out, Heading{2, "How to reproduce"});
  append(out, Paragraph{Line("Save the campaign below as ")
                            .command("campaign.yaml")
                            .own(". With agents on this machine alone:")});
  append(out, Listing{"fleetmark plan campaign.yaml\nfleetmark run campaign.yaml --out out/again\n",
                      "sh"});
  append(out, Paragraph{"With a fleet whose agents match its runners:"});
  append(out, Listing{"fleetmark submit campaign.yaml\nfleetmark watch CAMPAIGN\n"
                      "fleetmark report CAMPAIGN --format all --out out/again\n",
                      "sh"});
  if (!seedIsWritten(data.yaml)) {
    append(out, Paragraph{Line("For the same order add ")
                              .command("seed: " + std::to_string(data.seed))
                              .own(" to it.")});
  }
  append(out, Listing{data.yaml, "yaml"});
}

}  // namespace fleetmark::coordinator::report
