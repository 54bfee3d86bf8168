#include "common/base/units.h"
#include "coordinator/report/markdown_parts.h"
#include "coordinator/report/markdown_text.h"
#include "coordinator/report/text.h"

namespace fleetmark::coordinator::report {

namespace {

std::string offsetText(base::Nanos offset) {
  // Signed, in ms, so that a column of them can be read down.
  double ms = static_cast<double>(offset.count()) / 1e6;
  return base::formatThousands(ms, 3);
}

std::string memoryText(std::int64_t bytes) {
  if (bytes <= 0) return {};
  return base::formatThousands(static_cast<double>(bytes) / static_cast<double>(base::kGiB), 2);
}

}  // namespace

std::string machinesMarkdown(const ReportModel& model) {
  std::string out = "## Machines and builds\n\n";
  if (model.machines.empty()) return out + "No agent has taken a step of this campaign.\n\n";
  std::vector<std::vector<std::string>> hardware;
  std::vector<std::vector<std::string>> software;
  for (const auto& machine : model.machines) {
    const auto& step = *machine.step;
    const auto& host = step.host;
    std::string runner = escapeMarkdown(step.runner);
    std::string agent = escapeMarkdown(step.agent);
    hardware.push_back(
        {runner, agent, escapeMarkdown(host.hostname), escapeMarkdown(host.cpuModel),
         host.effectiveCpus > 0 ? formatValue(host.effectiveCpus, model::Unit::kCount) : "",
         memoryText(host.memoryBytes), escapeMarkdown(host.virtualisation)});
    software.push_back({runner, agent, escapeMarkdown(host.osImage), escapeMarkdown(host.kernel),
                        escapeMarkdown(host.arch), escapeMarkdown(step.agentVersion),
                        escapeMarkdown(machine.build.compiler), escapeMarkdown(machine.build.flags),
                        offsetText(machine.clockOffset)});
  }
  out += "What could not be read on a machine is left open, not guessed.\n\n";
  out += markdownTable({{"Runner", Align::kLeft},
                        {"Agent", Align::kLeft},
                        {"Host", Align::kLeft},
                        {"CPU model", Align::kLeft},
                        {"Effective CPUs", Align::kRight},
                        {"Memory, GiB", Align::kRight},
                        {"Virtualisation", Align::kLeft}},
                       hardware);
  out += markdownTable({{"Runner", Align::kLeft},
                        {"Agent", Align::kLeft},
                        {"OS image", Align::kLeft},
                        {"Kernel", Align::kLeft},
                        {"Architecture", Align::kLeft},
                        {"Agent version", Align::kLeft},
                        {"Compiler", Align::kLeft},
                        {"Flags", Align::kLeft},
                        {"Clock offset, ms", Align::kRight}},
                       software);
  if (model.sharedMachines.empty()) {
    out += "As far as the machines' keys tell, no two runners shared a machine.\n\n";
  }
  for (const auto& runners : model.sharedMachines) {
    std::vector<std::string> names;
    for (const auto& name : runners) names.push_back(escapeMarkdown(name));
    out += "One machine for " + enumerate(names) +
           ": its probes ran one at a time, never beside each other.\n\n";
  }
  return out;
}

}  // namespace fleetmark::coordinator::report
