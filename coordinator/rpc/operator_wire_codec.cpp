#include "coordinator/rpc/operator_wire_codec.h"

#include <cmath>

#include "common/rpc/wire_limits.h"

namespace fleetmark::coordinator::rpc {

using fleetmark::rpc::checkedJson;
using fleetmark::rpc::checkedText;
using fleetmark::rpc::kMaxLabels;
using fleetmark::rpc::kMaxMessage;
using fleetmark::rpc::kMaxName;
using fleetmark::rpc::kMaxYaml;

namespace {

// A coordinator's own sentences may list many things; a person reads them.
constexpr std::size_t kMaxAnswerText = 1024 * 1024;

std::int64_t wallOrZero(const std::optional<base::WallTime>& time) {
  return time ? base::toUnixNanos(*time) : 0;
}

std::optional<base::WallTime> optionalWall(std::int64_t ns) {
  if (ns == 0) return std::nullopt;
  return base::fromUnixNanos(ns);
}

base::Error unknownWord(std::string_view what, std::string_view word) {
  return base::invalid("the " + std::string(what) + " '" + std::string(word.substr(0, 40)) +
                       "' is unknown to this version");
}

}  // namespace

void toWire(const ports::CampaignSummary& summary, schema::CampaignSummary::Builder out) {
  out.setId(summary.id.value);
  out.setName(summary.name);
  out.setState(std::string(toString(summary.state)));
  out.setSubmittedAtNs(base::toUnixNanos(summary.submittedAt));
  out.setFinishedAtNs(wallOrZero(summary.finishedAt));
  out.setStepsTotal(summary.stepsTotal);
  out.setStepsMeasured(summary.stepsMeasured);
  out.setStepsFailed(summary.stepsFailed);
  out.setStepsLost(summary.stepsLost);
  out.setStepsCancelled(summary.stepsCancelled);
  out.setStepsRunning(summary.stepsRunning);
  out.setEstimateNs(summary.estimate.count());
  out.setSamplesInvalid(summary.samplesInvalid);
  out.setPaused(summary.paused);
}

base::Result<ports::CampaignSummary> fromWire(schema::CampaignSummary::Reader wire) {
  ports::CampaignSummary out;
  out.id = base::CampaignId{wire.getId()};
  FM_TRY_ASSIGN(out.name, checkedText(wire.getName(), kMaxName, "the campaign's name"));
  FM_TRY_ASSIGN(std::string state, checkedText(wire.getState(), kMaxName, "the campaign's state"));
  auto parsed = domain::parseCampaignState(state);
  if (!parsed) return unknownWord("campaign state", state);
  out.state = *parsed;
  out.submittedAt = base::fromUnixNanos(wire.getSubmittedAtNs());
  out.finishedAt = optionalWall(wire.getFinishedAtNs());
  out.stepsTotal = wire.getStepsTotal();
  out.stepsMeasured = wire.getStepsMeasured();
  out.stepsFailed = wire.getStepsFailed();
  out.stepsLost = wire.getStepsLost();
  out.stepsCancelled = wire.getStepsCancelled();
  out.stepsRunning = wire.getStepsRunning();
  out.estimate = base::Nanos(wire.getEstimateNs());
  out.samplesInvalid = wire.getSamplesInvalid();
  out.paused = wire.getPaused();
  return out;
}

void toWire(const ports::StepStatus& step, schema::StepStatus::Builder out) {
  out.setStepId(step.step.value);
  out.setJobId(step.job.value);
  out.setRunner(step.runner);
  out.setProbe(step.probe);
  out.setFingerprint(step.fingerprint);
  out.setTrial(step.trial);
  out.setStepName(step.stepName);
  out.setState(std::string(toString(step.state)));
  out.setAgent(step.agent);
  out.setAttempts(step.attempts);
  out.setSamplesOk(step.samplesOk);
  out.setSamplesSeen(step.samplesSeen);
  out.setSamplesRequested(step.samplesRequested);
  out.setProgress(step.progress);
  out.setMessage(step.message);
  if (step.headlineValue) {
    auto headline = out.getHeadline();
    headline.setMetric(step.headlineMetric);
    headline.setValue(*step.headlineValue);
    if (step.headlineCv) {
      headline.getVariation().setRatio(*step.headlineCv);
    } else {
      headline.getVariation().setAbsent();
    }
  }
  out.setStartedAtNs(wallOrZero(step.startedAt));
  out.setEndedAtNs(wallOrZero(step.endedAt));
  out.setWaiting(step.waiting);
  out.setEstimateNs(step.estimate.count());
}

base::Result<ports::StepStatus> fromWire(schema::StepStatus::Reader wire) {
  ports::StepStatus out;
  out.step = base::StepId{wire.getStepId()};
  out.job = base::JobId{wire.getJobId()};
  FM_TRY_ASSIGN(out.runner, checkedText(wire.getRunner(), kMaxName, "the runner"));
  FM_TRY_ASSIGN(out.probe, checkedText(wire.getProbe(), kMaxName, "the probe"));
  FM_TRY_ASSIGN(out.fingerprint, checkedText(wire.getFingerprint(), kMaxName, "the fingerprint"));
  out.trial = wire.getTrial();
  FM_TRY_ASSIGN(out.stepName, checkedText(wire.getStepName(), kMaxName, "the step's name"));
  FM_TRY_ASSIGN(std::string state, checkedText(wire.getState(), kMaxName, "the step's state"));
  auto parsed = domain::parseStepState(state);
  if (!parsed) return unknownWord("step state", state);
  out.state = *parsed;
  FM_TRY_ASSIGN(out.agent, checkedText(wire.getAgent(), kMaxName, "the agent's name"));
  out.attempts = wire.getAttempts();
  out.samplesOk = wire.getSamplesOk();
  out.samplesSeen = wire.getSamplesSeen();
  out.samplesRequested = wire.getSamplesRequested();
  FM_TRY_ASSIGN(out.progress, checkedText(wire.getProgress(), kMaxMessage, "a progress line"));
  FM_TRY_ASSIGN(out.message, checkedText(wire.getMessage(), kMaxAnswerText, "a message"));
  auto headline = wire.getHeadline();
  FM_TRY_ASSIGN(out.headlineMetric, checkedText(headline.getMetric(), kMaxName, "a metric"));
  if (!out.headlineMetric.empty()) {
    if (!std::isfinite(headline.getValue())) return base::invalid("a headline is not finite");
    out.headlineValue = headline.getValue();
    if (headline.getVariation().isRatio()) {
      out.headlineCv = headline.getVariation().getRatio();
      if (!std::isfinite(*out.headlineCv)) return base::invalid("a variation is not finite");
    }
  }
  out.startedAt = optionalWall(wire.getStartedAtNs());
  out.endedAt = optionalWall(wire.getEndedAtNs());
  FM_TRY_ASSIGN(out.waiting, checkedText(wire.getWaiting(), kMaxMessage, "a reason to wait"));
  out.estimate = base::Nanos(wire.getEstimateNs());
  return out;
}

void toWire(const ports::CampaignEvent& event, schema::CampaignEvent::Builder out) {
  out.setCursor(event.cursor);
  out.setAtNs(base::toUnixNanos(event.at));
  out.setKind(event.kind);
  out.setStepId(event.step.value);
  out.setDataJson(event.dataJson);
}

base::Result<ports::CampaignEvent> fromWire(schema::CampaignEvent::Reader wire) {
  ports::CampaignEvent out;
  FM_TRY_ASSIGN(out.cursor, checkedText(wire.getCursor(), kMaxName, "an event's cursor"));
  out.at = base::fromUnixNanos(wire.getAtNs());
  FM_TRY_ASSIGN(out.kind, checkedText(wire.getKind(), kMaxName, "an event's kind"));
  out.step = base::StepId{wire.getStepId()};
  FM_TRY_ASSIGN(out.dataJson, checkedJson(wire.getDataJson(), kMaxAnswerText, "an event's data"));
  return out;
}

void toWire(const ports::AgentView& agent, schema::AgentStatus::Builder out) {
  out.setAgentId(agent.id.toString());
  out.setName(agent.name);
  out.setState(agent.state);
  fleetmark::rpc::toWire(agent.labels, out.initLabels(static_cast<unsigned>(agent.labels.size())));
  auto probes = out.initProbes(static_cast<unsigned>(agent.probes.size()));
  for (unsigned i = 0; i < probes.size(); ++i) probes.set(i, agent.probes[i]);
  out.setLastSeenNs(base::toUnixNanos(agent.lastSeen));
  out.setDoing(agent.doing);
  out.setVersion(agent.version);
  out.setCpuModel(agent.cpuModel);
  out.setClockOffsetNs(agent.clockOffset.count());
  out.setReason(agent.reason);
}

base::Result<ports::AgentView> fromWire(schema::AgentStatus::Reader wire) {
  ports::AgentView out;
  FM_TRY_ASSIGN(std::string id, checkedText(wire.getAgentId(), kMaxName, "an agent's id"));
  auto parsed = base::Uuid::parse(id);
  if (!parsed) return base::invalid("an agent's id is no UUID");
  out.id = *parsed;
  FM_TRY_ASSIGN(out.name, checkedText(wire.getName(), kMaxName, "an agent's name"));
  FM_TRY_ASSIGN(out.state, checkedText(wire.getState(), kMaxName, "an agent's state"));
  FM_TRY_ASSIGN(out.labels, fleetmark::rpc::fromWire(wire.getLabels()));
  for (auto probe : wire.getProbes()) {
    FM_TRY_ASSIGN(std::string text, checkedText(probe, kMaxName, "a probe's name"));
    out.probes.push_back(std::move(text));
  }
  out.lastSeen = base::fromUnixNanos(wire.getLastSeenNs());
  FM_TRY_ASSIGN(out.doing, checkedText(wire.getDoing(), kMaxMessage, "what an agent does"));
  FM_TRY_ASSIGN(out.version, checkedText(wire.getVersion(), kMaxName, "an agent's version"));
  FM_TRY_ASSIGN(out.cpuModel, checkedText(wire.getCpuModel(), kMaxName, "a CPU model"));
  out.clockOffset = base::Nanos(wire.getClockOffsetNs());
  FM_TRY_ASSIGN(out.reason, checkedText(wire.getReason(), kMaxAnswerText, "an agent's reason"));
  return out;
}

void toWire(const ports::JobReasons& job, schema::OperatorGateway::WhyResult::Ok::Builder out) {
  out.setJobId(job.job.value);
  out.setCampaignId(job.campaign.value);
  out.setCampaignName(job.campaignName);
  out.setRunner(job.runner);
  out.setProbe(job.probe);
  out.setTrial(job.trial);
  out.setState(std::string(toString(job.state)));
  auto steps = out.initSteps(static_cast<unsigned>(job.steps.size()));
  for (unsigned i = 0; i < steps.size(); ++i) {
    const auto& step = job.steps[i];
    steps[i].setStepId(step.step.value);
    steps[i].setStepName(step.stepName);
    steps[i].setState(std::string(toString(step.state)));
    auto constraints = steps[i].initConstraints(static_cast<unsigned>(step.constraints.size()));
    for (unsigned c = 0; c < constraints.size(); ++c) {
      constraints[c].setKind(step.constraints[c].kind);
      constraints[c].setHolds(step.constraints[c].holds);
      constraints[c].setText(step.constraints[c].text);
    }
    if (step.estimate) {
      steps[i].getEstimate().setInNs(step.estimate->count());
    } else {
      steps[i].getEstimate().setUnknown();
    }
  }
}

namespace {

base::Result<ports::StepReasons> reasonsFromWire(
    schema::OperatorGateway::StepReasons::Reader wire) {
  ports::StepReasons out;
  out.step = base::StepId{wire.getStepId()};
  FM_TRY_ASSIGN(out.stepName, checkedText(wire.getStepName(), kMaxName, "the step's name"));
  FM_TRY_ASSIGN(std::string state, checkedText(wire.getState(), kMaxName, "the step's state"));
  auto parsed = domain::parseStepState(state);
  if (!parsed) return unknownWord("step state", state);
  out.state = *parsed;
  for (auto constraint : wire.getConstraints()) {
    ports::Constraint one;
    FM_TRY_ASSIGN(one.kind, checkedText(constraint.getKind(), kMaxName, "a constraint's kind"));
    one.holds = constraint.getHolds();
    FM_TRY_ASSIGN(one.text, checkedText(constraint.getText(), kMaxAnswerText, "a constraint"));
    out.constraints.push_back(std::move(one));
  }
  if (wire.getEstimate().isInNs()) out.estimate = base::Nanos(wire.getEstimate().getInNs());
  return out;
}

}  // namespace

base::Result<ports::JobReasons> fromWire(schema::OperatorGateway::WhyResult::Ok::Reader wire) {
  ports::JobReasons out;
  out.job = base::JobId{wire.getJobId()};
  out.campaign = base::CampaignId{wire.getCampaignId()};
  FM_TRY_ASSIGN(out.campaignName,
                checkedText(wire.getCampaignName(), kMaxName, "the campaign's name"));
  FM_TRY_ASSIGN(out.runner, checkedText(wire.getRunner(), kMaxName, "the runner"));
  FM_TRY_ASSIGN(out.probe, checkedText(wire.getProbe(), kMaxName, "the probe"));
  out.trial = wire.getTrial();
  FM_TRY_ASSIGN(std::string state, checkedText(wire.getState(), kMaxName, "the job's state"));
  auto parsed = domain::parseJobState(state);
  if (!parsed) return unknownWord("job state", state);
  out.state = *parsed;
  for (auto step : wire.getSteps()) {
    FM_TRY_ASSIGN(auto reasons, reasonsFromWire(step));
    out.steps.push_back(std::move(reasons));
  }
  return out;
}

void toWire(const ports::Table& table, schema::Table::Builder out) {
  auto columns = out.initColumns(static_cast<unsigned>(table.columns.size()));
  for (unsigned i = 0; i < columns.size(); ++i) columns.set(i, table.columns[i]);
  auto rows = out.initRows(static_cast<unsigned>(table.rows.size()));
  for (unsigned r = 0; r < rows.size(); ++r) {
    const auto& row = table.rows[r];
    auto cells = rows[r].initCells(static_cast<unsigned>(row.size()));
    for (unsigned c = 0; c < cells.size(); ++c) {
      if (row[c]) {
        cells[c].setText(*row[c]);
      } else {
        cells[c].setNull();
      }
    }
  }
  out.setTruncated(table.truncated);
}

base::Result<ports::Table> fromWire(schema::Table::Reader wire) {
  ports::Table out;
  for (auto column : wire.getColumns()) {
    FM_TRY_ASSIGN(std::string text, checkedText(column, kMaxAnswerText, "a column's name"));
    out.columns.push_back(std::move(text));
  }
  for (auto row : wire.getRows()) {
    std::vector<std::optional<std::string>> cells;
    for (auto cell : row.getCells()) {
      if (cell.isText()) {
        cells.emplace_back(std::string(cell.getText().begin(), cell.getText().size()));
      } else {
        cells.emplace_back(std::nullopt);
      }
    }
    out.rows.push_back(std::move(cells));
  }
  out.truncated = wire.getTruncated();
  return out;
}

void toWire(const ports::SubmitOptions& options,
            schema::OperatorGateway::SubmitRequest::Builder out) {
  // With its size: a text given as std::string would end at its first NUL, and a cut campaign
  // would pass for a whole one.
  out.setYaml(capnp::Text::Reader(options.yaml.c_str(), options.yaml.size()));
  out.setFileName(options.fileName);
  fleetmark::rpc::toWire(options.variables,
                         out.initVariables(static_cast<unsigned>(options.variables.size())));
  out.setWait(options.wait);
  out.setRequestKey(options.requestKey);
}

base::Result<ports::SubmitOptions> fromWire(schema::OperatorGateway::SubmitRequest::Reader wire) {
  ports::SubmitOptions out;
  FM_TRY_ASSIGN(out.yaml, checkedText(wire.getYaml(), kMaxYaml, "the campaign"));
  FM_TRY_ASSIGN(out.fileName, checkedText(wire.getFileName(), kMaxMessage, "the file's name"));
  FM_TRY_ASSIGN(out.variables, fleetmark::rpc::fromWire(wire.getVariables()));
  out.wait = wire.getWait();
  FM_TRY_ASSIGN(out.requestKey, checkedText(wire.getRequestKey(), kMaxName, "the request key"));
  return out;
}

schema::OperatorGateway::ReportFormat toWire(ports::ReportFormat format) {
  switch (format) {
    case ports::ReportFormat::kMarkdown:
      return schema::OperatorGateway::ReportFormat::MARKDOWN;
    case ports::ReportFormat::kJson:
      return schema::OperatorGateway::ReportFormat::JSON;
    case ports::ReportFormat::kCsv:
      return schema::OperatorGateway::ReportFormat::CSV;
    case ports::ReportFormat::kHtml:
      return schema::OperatorGateway::ReportFormat::HTML;
  }
  return schema::OperatorGateway::ReportFormat::UNKNOWN;
}

base::Result<ports::ReportFormat> fromWire(schema::OperatorGateway::ReportFormat format) {
  switch (format) {
    case schema::OperatorGateway::ReportFormat::MARKDOWN:
      return ports::ReportFormat::kMarkdown;
    case schema::OperatorGateway::ReportFormat::JSON:
      return ports::ReportFormat::kJson;
    case schema::OperatorGateway::ReportFormat::CSV:
      return ports::ReportFormat::kCsv;
    case schema::OperatorGateway::ReportFormat::HTML:
      return ports::ReportFormat::kHtml;
    case schema::OperatorGateway::ReportFormat::UNKNOWN:
      break;
  }
  return base::unsupported(
      "that report format is unknown to this version; known: md, json, csv, html");
}

schema::OperatorGateway::AgentWish toWire(ports::AgentWish wish) {
  switch (wish) {
    case ports::AgentWish::kDrain:
      return schema::OperatorGateway::AgentWish::DRAIN;
    case ports::AgentWish::kUndrain:
      return schema::OperatorGateway::AgentWish::UNDRAIN;
    case ports::AgentWish::kRelease:
      return schema::OperatorGateway::AgentWish::RELEASE;
  }
  return schema::OperatorGateway::AgentWish::UNKNOWN;
}

base::Result<ports::AgentWish> fromWire(schema::OperatorGateway::AgentWish wish) {
  switch (wish) {
    case schema::OperatorGateway::AgentWish::DRAIN:
      return ports::AgentWish::kDrain;
    case schema::OperatorGateway::AgentWish::UNDRAIN:
      return ports::AgentWish::kUndrain;
    case schema::OperatorGateway::AgentWish::RELEASE:
      return ports::AgentWish::kRelease;
    case schema::OperatorGateway::AgentWish::UNKNOWN:
      break;
  }
  return base::unsupported(
      "what shall happen to the agent is unknown to this version; known: drain, undrain, release");
}

schema::OperatorGateway::Role toWire(ports::Role role) {
  switch (role) {
    case ports::Role::kAgent:
      return schema::OperatorGateway::Role::AGENT;
    case ports::Role::kOperator:
      return schema::OperatorGateway::Role::OPERATOR;
  }
  return schema::OperatorGateway::Role::UNKNOWN;
}

base::Result<ports::Role> fromWire(schema::OperatorGateway::Role role) {
  switch (role) {
    case schema::OperatorGateway::Role::AGENT:
      return ports::Role::kAgent;
    case schema::OperatorGateway::Role::OPERATOR:
      return ports::Role::kOperator;
    case schema::OperatorGateway::Role::UNKNOWN:
      break;
  }
  return base::invalid("a certificate is for an agent or an operator");
}

}  // namespace fleetmark::coordinator::rpc
