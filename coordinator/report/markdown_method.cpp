#include <algorithm>
#include <set>

#include "coordinator/report/markdown_parts.h"
#include "coordinator/report/markdown_text.h"

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
    {"selftest", "Measures nothing: its values can be computed again and test the fleet itself."},
};

bool seedIsWritten(std::string_view yaml) {
  return yaml.starts_with("seed:") || yaml.find("\nseed:") != std::string_view::npos;
}

}  // namespace

std::string methodMarkdown(const ReportModel& model) {
  std::string out = "## Method and caveats\n\n";
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
      out += "- **" + section.probe + "**: " + std::string(method.text) + "\n";
    }
  }
  out +=
      "- **Samples**: only samples with the verdict ok enter the figures. All others stay in "
      "result.json and samples.csv with their reasons, and none was repeated to replace them.\n"
      "- **Variation** is the population coefficient of variation: the root of the mean squared "
      "deviation, divided by the mean. A single sample has none.\n"
      "- **Percentiles** are taken by nearest rank. p95 is printed from 20 valid samples on, "
      "p99 from 300; below that the maximum has to do.\n";
  if (!methods.empty()) {
    out += "- **Statistics method**:";
    for (const auto& method : methods) out += " " + codeOrText(method);
    out += "\n";
  }
  out +=
      "- **Samples are not machines**: several samples of one machine say how steady it was, "
      "not how much machines of its kind differ. With few samples an order of medians is no "
      "proof of a difference.\n"
      "- **One probe at a time** runs on a machine. Other guests of the same hardware can't be "
      "seen from inside and may still have disturbed it.\n\n";
  return out;
}

std::string reproduceMarkdown(const ReportModel& model) {
  const auto& data = *model.data;
  std::string out =
      "## How to reproduce\n\n"
      "Save the campaign below as `campaign.yaml`. With agents on this machine alone:\n\n" +
      fenced("fleetmark plan campaign.yaml\nfleetmark run campaign.yaml --out out/again\n", "sh") +
      "\nWith a fleet whose agents match its runners:\n\n" +
      fenced(
          "fleetmark submit campaign.yaml\nfleetmark watch CAMPAIGN\n"
          "fleetmark report CAMPAIGN --format all --out out/again\n",
          "sh") +
      "\n";
  if (!seedIsWritten(data.yaml)) {
    out += "For the same order add `seed: " + std::to_string(data.seed) + "` to it.\n\n";
  }
  return out + fenced(data.yaml, "yaml") + "\n";
}

}  // namespace fleetmark::coordinator::report
