#include "common/base/units.h"
#include "coordinator/report/document_parts.h"

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

void addMachineBlocks(const ReportModel& model, Document& out) {
  append(out, Heading{2, "Machines and builds"});
  if (model.machines.empty()) {
    append(out, Paragraph{"No agent has taken a step of this campaign."});
    return;
  }
  Table hardware{{{"Runner"},
                  {"Agent"},
                  {"Host"},
                  {"CPU model"},
                  {"Effective CPUs", Align::kRight},
                  {"Memory, GiB", Align::kRight},
                  {"Virtualisation"}},
                 {}};
  Table software{{{"Runner"},
                  {"Agent"},
                  {"OS image"},
                  {"Kernel"},
                  {"Architecture"},
                  {"Agent version"},
                  {"Compiler"},
                  {"Flags"},
                  {"Clock offset, ms", Align::kRight}},
                 {}};
  for (const auto& machine : model.machines) {
    const auto& step = *machine.step;
    const auto& host = step.host;
    Line runner = Line::ofForeign(step.runner);
    Line agent = Line::ofForeign(step.agent);
    hardware.rows.push_back(
        {runner, agent, Line::ofForeign(host.hostname), Line::ofForeign(host.cpuModel),
         host.effectiveCpus > 0 ? formatValue(host.effectiveCpus, model::Unit::kCount) : "",
         memoryText(host.memoryBytes), Line::ofForeign(host.virtualisation)});
    software.rows.push_back(
        {runner, agent, Line::ofForeign(host.osImage), Line::ofForeign(host.kernel),
         Line::ofForeign(host.arch), Line::ofForeign(step.agentVersion),
         Line::ofForeign(machine.build.compiler), Line::ofForeign(machine.build.flags),
         offsetText(machine.clockOffset)});
  }
  append(out, Paragraph{"What could not be read on a machine is left open, not guessed."});
  append(out, std::move(hardware));
  append(out, std::move(software));
  if (model.sharedMachines.empty()) {
    append(out, Paragraph{"As far as the machines' keys tell, no two runners shared a machine."});
  }
  for (const auto& runners : model.sharedMachines) {
    std::vector<Line> names;
    for (const auto& name : runners) names.push_back(Line::ofForeign(name));
    append(out, Paragraph{Line("One machine for ")
                              .append(enumerate(names))
                              .own(": its probes ran one at a time, never beside each other.")});
  }
}

}  // namespace fleetmark::coordinator::report
