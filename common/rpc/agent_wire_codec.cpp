#include "common/rpc/agent_wire_codec.h"

#include <cmath>

#include "common/rpc/wire_limits.h"

namespace fleetmark::rpc {

namespace {

constexpr std::int64_t kLongest = 400LL * 24 * 3600 * 1'000'000'000;  // ns; 400 days

base::Result<base::Nanos> checkedDuration(std::int64_t ns, std::string_view what) {
  if (ns < 0 || ns > kLongest) {
    return base::invalid(std::string(what) + " of " + std::to_string(ns) + " ns is out of range");
  }
  return base::Nanos(ns);
}

schema::QuietOtherwise toWire(model::QuietOtherwise word) {
  switch (word) {
    case model::QuietOtherwise::kMark:
      return schema::QuietOtherwise::MARK;
    case model::QuietOtherwise::kFail:
      return schema::QuietOtherwise::FAIL;
  }
  return schema::QuietOtherwise::UNKNOWN;
}

base::Result<model::QuietSpec> fromWire(schema::QuietSpec::Reader wire) {
  model::QuietSpec out;
  out.loadPerCpu = wire.getLoadPerCpu();
  if (!std::isfinite(out.loadPerCpu) || out.loadPerCpu < 0) {
    return base::invalid("the load of a quiet host must be a number from 0 up");
  }
  FM_TRY_ASSIGN(out.wait, checkedDuration(wire.getWaitNs(), "the wait for a quiet host"));
  switch (wire.getOtherwise()) {
    case schema::QuietOtherwise::MARK:
      out.otherwise = model::QuietOtherwise::kMark;
      return out;
    case schema::QuietOtherwise::FAIL:
      out.otherwise = model::QuietOtherwise::kFail;
      return out;
    case schema::QuietOtherwise::UNKNOWN:
      break;
  }
  return base::invalid("what to do on a host that is not quiet is unknown to this version");
}

void toWire(const model::HostFacts& host, schema::HostFacts::Builder out) {
  out.setHostname(host.hostname);
  out.setOs(host.os);
  out.setArch(host.arch);
  out.setCpuModel(host.cpuModel);
  out.setVirtualisation(host.virtualisation);
  out.setKernel(host.kernel);
  out.setOsImage(host.osImage);
  out.setMachineId(host.machineId);
  out.setBootId(host.bootId);
  out.setMachineKey(host.machineKey);
  out.setEffectiveCpus(host.effectiveCpus);
  out.setMemoryBytes(host.memoryBytes);
  out.setEnvironmentJson(host.environmentJson);
}

base::Result<model::HostFacts> fromWire(schema::HostFacts::Reader wire) {
  model::HostFacts out;
  FM_TRY_ASSIGN(out.hostname, checkedText(wire.getHostname(), kMaxName, "the host name"));
  FM_TRY_ASSIGN(out.os, checkedText(wire.getOs(), kMaxName, "the operating system"));
  FM_TRY_ASSIGN(out.arch, checkedText(wire.getArch(), kMaxName, "the architecture"));
  FM_TRY_ASSIGN(out.cpuModel, checkedText(wire.getCpuModel(), kMaxName, "the CPU model"));
  FM_TRY_ASSIGN(out.virtualisation,
                checkedText(wire.getVirtualisation(), kMaxName, "the virtualisation"));
  FM_TRY_ASSIGN(out.kernel, checkedText(wire.getKernel(), kMaxName, "the kernel"));
  FM_TRY_ASSIGN(out.osImage, checkedText(wire.getOsImage(), kMaxName, "the OS image"));
  FM_TRY_ASSIGN(out.machineId, checkedText(wire.getMachineId(), kMaxName, "the machine id"));
  FM_TRY_ASSIGN(out.bootId, checkedText(wire.getBootId(), kMaxName, "the boot id"));
  FM_TRY_ASSIGN(out.machineKey, checkedText(wire.getMachineKey(), kMaxName, "the machine key"));
  if (out.machineKey.empty()) {
    return base::invalid("the agent names no machine; one probe at a time can't be kept");
  }
  out.effectiveCpus = wire.getEffectiveCpus();
  if (!std::isfinite(out.effectiveCpus) || out.effectiveCpus < 0) {
    return base::invalid("the number of effective CPUs is not a number");
  }
  out.memoryBytes = wire.getMemoryBytes();
  FM_TRY_ASSIGN(out.environmentJson, checkedJson(wire.getEnvironmentJson(), kMaxEnvironmentJson,
                                                 "the host's environment"));
  return out;
}

}  // namespace

void toWire(const model::LeaseRef& lease, schema::LeaseRef::Builder out) {
  out.setStepId(lease.step.value);
  out.setEpoch(lease.epoch);
  out.setToken(capnp::Data::Reader(reinterpret_cast<const kj::byte*>(lease.token.data()),
                                   lease.token.size()));
}

base::Result<model::LeaseRef> fromWire(schema::LeaseRef::Reader wire) {
  model::LeaseRef out;
  out.step = base::StepId{wire.getStepId()};
  out.epoch = wire.getEpoch();
  auto token = wire.getToken();
  if (token.size() != kTokenSize || out.step.value <= 0 || out.epoch <= 0) {
    return base::invalid("a lease needs a step, an epoch and a token of 16 bytes");
  }
  out.token.assign(reinterpret_cast<const char*>(token.begin()), token.size());
  return out;
}

void toWire(const model::AgentHello& hello, schema::AgentHello::Builder out) {
  out.setName(hello.name);
  out.setVersion(hello.version);
  toWire(hello.labels, out.initLabels(static_cast<unsigned>(hello.labels.size())));
  auto probes = out.initProbes(static_cast<unsigned>(hello.probes.size()));
  for (unsigned i = 0; i < probes.size(); ++i) probes.set(i, hello.probes[i]);
  toWire(hello.host, out.initHost());
  out.setInstanceNonce(hello.instanceNonce);
  out.setWallClockNs(hello.wallClockNs);
}

base::Result<model::AgentHello> fromWire(schema::AgentHello::Reader wire, base::AgentId agent) {
  model::AgentHello out;
  out.agent = agent;
  FM_TRY_ASSIGN(out.name, checkedText(wire.getName(), kMaxName, "the agent's name"));
  if (out.name.empty()) return base::invalid("the agent has no name");
  FM_TRY_ASSIGN(out.version, checkedText(wire.getVersion(), kMaxName, "the agent's version"));
  FM_TRY_ASSIGN(out.labels, fromWire(wire.getLabels()));
  auto probes = wire.getProbes();
  if (probes.size() > kMaxProbes) return base::invalid("the agent lists too many probes");
  for (auto probe : probes) {
    FM_TRY_ASSIGN(std::string text, checkedText(probe, kMaxName, "a probe's name"));
    out.probes.push_back(std::move(text));
  }
  FM_TRY_ASSIGN(out.host, fromWire(wire.getHost()));
  FM_TRY_ASSIGN(out.instanceNonce,
                checkedText(wire.getInstanceNonce(), kMaxName, "the agent's instance nonce"));
  out.wallClockNs = wire.getWallClockNs();
  return out;
}

void toWire(const model::Assignment& assignment, schema::Assignment::Builder out) {
  toWire(assignment.lease, out.initLease());
  out.setAttemptId(assignment.attempt.value);
  out.setCampaignId(assignment.campaign.value);
  out.setCampaignName(assignment.campaignName);
  out.setRunner(assignment.runner);
  out.setStepName(assignment.stepName);
  out.setProbe(assignment.probe);
  out.setProtocol(assignment.protocol);
  out.setParamsJson(assignment.paramsJson);
  out.setPlacementJson(assignment.placementJson);
  out.setLeaseTtlNs(assignment.leaseTtl.count());
  out.setTimeLimitNs(assignment.timeLimit.count());
  out.setNoProgressLimitNs(assignment.noProgressLimit.count());
  if (assignment.quiet) {
    auto quiet = out.initQuiet().initSpec();
    quiet.setLoadPerCpu(assignment.quiet->loadPerCpu);
    quiet.setWaitNs(assignment.quiet->wait.count());
    quiet.setOtherwise(toWire(assignment.quiet->otherwise));
  }
  out.setGroup(assignment.group);
}

base::Result<model::Assignment> fromWire(schema::Assignment::Reader wire) {
  model::Assignment out;
  FM_TRY_ASSIGN(out.lease, fromWire(wire.getLease()));
  out.attempt = base::AttemptId{wire.getAttemptId()};
  out.campaign = base::CampaignId{wire.getCampaignId()};
  FM_TRY_ASSIGN(out.campaignName,
                checkedText(wire.getCampaignName(), kMaxName, "the campaign's name"));
  FM_TRY_ASSIGN(out.runner, checkedText(wire.getRunner(), kMaxName, "the runner"));
  FM_TRY_ASSIGN(out.stepName, checkedText(wire.getStepName(), kMaxName, "the step's name"));
  FM_TRY_ASSIGN(out.probe, checkedText(wire.getProbe(), kMaxName, "the probe's name"));
  out.protocol = wire.getProtocol();
  FM_TRY_ASSIGN(out.paramsJson,
                checkedJson(wire.getParamsJson(), kMaxParamsJson, "the probe's parameters"));
  FM_TRY_ASSIGN(out.placementJson,
                checkedJson(wire.getPlacementJson(), kMaxParamsJson, "the probe's placement"));
  FM_TRY_ASSIGN(out.leaseTtl, checkedDuration(wire.getLeaseTtlNs(), "a lease"));
  FM_TRY_ASSIGN(out.timeLimit, checkedDuration(wire.getTimeLimitNs(), "a time limit"));
  FM_TRY_ASSIGN(out.noProgressLimit,
                checkedDuration(wire.getNoProgressLimitNs(), "a no-progress limit"));
  if (wire.getQuiet().isSpec()) {
    FM_TRY_ASSIGN(out.quiet, fromWire(wire.getQuiet().getSpec()));
  }
  FM_TRY_ASSIGN(out.group, checkedText(wire.getGroup(), kMaxName, "the group's name"));
  return out;
}

void toWire(const model::SampleChunk& chunk, schema::SampleChunk::Builder out) {
  out.setNumber(chunk.number);
  auto samples = out.initSamples(static_cast<unsigned>(chunk.samples.size()));
  for (unsigned i = 0; i < samples.size(); ++i) toWire(chunk.samples[i], samples[i]);
}

base::Result<model::SampleChunk> fromWire(schema::SampleChunk::Reader wire) {
  model::SampleChunk out;
  out.number = wire.getNumber();
  if (out.number >= kMaxChunks) return base::invalid("a chunk's number is out of range");
  auto samples = wire.getSamples();
  if (samples.size() > kMaxSamplesInChunk) {
    return base::invalid(std::to_string(samples.size()) + " samples in a chunk; at most " +
                         std::to_string(kMaxSamplesInChunk) + " are allowed");
  }
  out.samples.reserve(samples.size());
  for (auto sample : samples) {
    FM_TRY_ASSIGN(model::Sample decoded, fromWire(sample));
    out.samples.push_back(std::move(decoded));
  }
  return out;
}

void toWire(const model::Completion& completion, schema::Completion::Builder out) {
  out.setOutcome(toWire(completion.outcome));
  out.setMessage(completion.message);
  out.setChunkCount(completion.chunkCount);
  auto notices = out.initNotices(static_cast<unsigned>(completion.notices.size()));
  for (unsigned i = 0; i < notices.size(); ++i) toWire(completion.notices[i], notices[i]);
  out.setEnvironmentBeforeJson(completion.environmentBeforeJson);
  out.setEnvironmentAfterJson(completion.environmentAfterJson);
  out.setQuietJson(completion.quietJson);
}

base::Result<model::Completion> fromWire(schema::Completion::Reader wire) {
  model::Completion out;
  FM_TRY_ASSIGN(out.outcome, fromWire(wire.getOutcome()));
  FM_TRY_ASSIGN(out.message, checkedText(wire.getMessage(), kMaxMessage, "a failure's message"));
  out.chunkCount = wire.getChunkCount();
  if (out.chunkCount > kMaxChunks) return base::invalid("the number of chunks is out of range");
  auto notices = wire.getNotices();
  if (notices.size() > kMaxNotices) return base::invalid("too many notices");
  for (auto notice : notices) {
    FM_TRY_ASSIGN(model::Notice decoded, fromWire(notice));
    out.notices.push_back(std::move(decoded));
  }
  FM_TRY_ASSIGN(
      out.environmentBeforeJson,
      checkedJson(wire.getEnvironmentBeforeJson(), kMaxEnvironmentJson, "the environment before"));
  FM_TRY_ASSIGN(
      out.environmentAfterJson,
      checkedJson(wire.getEnvironmentAfterJson(), kMaxEnvironmentJson, "the environment after"));
  if (wire.getQuietJson().size() > 0) {
    FM_TRY_ASSIGN(out.quietJson, checkedJson(wire.getQuietJson(), kMaxContextJson,
                                             "what was seen of the host's quiet"));
  }
  return out;
}

schema::RenewAnswer toWire(model::RenewAnswer answer) {
  switch (answer) {
    case model::RenewAnswer::kRenewed:
      return schema::RenewAnswer::RENEWED;
    case model::RenewAnswer::kLost:
      return schema::RenewAnswer::LOST;
    case model::RenewAnswer::kCancel:
      return schema::RenewAnswer::CANCEL;
  }
  return schema::RenewAnswer::UNKNOWN;
}

base::Result<model::RenewAnswer> fromWire(schema::RenewAnswer answer) {
  switch (answer) {
    case schema::RenewAnswer::RENEWED:
      return model::RenewAnswer::kRenewed;
    case schema::RenewAnswer::LOST:
      return model::RenewAnswer::kLost;
    case schema::RenewAnswer::CANCEL:
      return model::RenewAnswer::kCancel;
    case schema::RenewAnswer::UNKNOWN:
      break;
  }
  return base::invalid("the answer to a renewal is unknown to this version");
}

schema::ArriveAnswer toWire(model::ArriveAnswer answer) {
  switch (answer) {
    case model::ArriveAnswer::kBegin:
      return schema::ArriveAnswer::BEGIN;
    case model::ArriveAnswer::kWait:
      return schema::ArriveAnswer::WAIT;
    case model::ArriveAnswer::kReleased:
      return schema::ArriveAnswer::RELEASED;
    case model::ArriveAnswer::kLost:
      return schema::ArriveAnswer::LOST;
  }
  return schema::ArriveAnswer::UNKNOWN;
}

base::Result<model::ArriveAnswer> fromWire(schema::ArriveAnswer answer) {
  switch (answer) {
    case schema::ArriveAnswer::BEGIN:
      return model::ArriveAnswer::kBegin;
    case schema::ArriveAnswer::WAIT:
      return model::ArriveAnswer::kWait;
    case schema::ArriveAnswer::RELEASED:
      return model::ArriveAnswer::kReleased;
    case schema::ArriveAnswer::LOST:
      return model::ArriveAnswer::kLost;
    case schema::ArriveAnswer::UNKNOWN:
      break;
  }
  return base::invalid("the answer at a group's barrier is unknown to this version");
}

schema::IngestAnswer toWire(model::IngestAnswer answer) {
  switch (answer) {
    case model::IngestAnswer::kOk:
      return schema::IngestAnswer::OK;
    case model::IngestAnswer::kDuplicate:
      return schema::IngestAnswer::DUPLICATE;
    case model::IngestAnswer::kFenced:
      return schema::IngestAnswer::FENCED;
    case model::IngestAnswer::kUnknown:
      return schema::IngestAnswer::NO_SUCH_ATTEMPT;
    case model::IngestAnswer::kMissing:
      return schema::IngestAnswer::MISSING;
  }
  return schema::IngestAnswer::UNKNOWN;
}

base::Result<model::IngestAnswer> fromWire(schema::IngestAnswer answer) {
  switch (answer) {
    case schema::IngestAnswer::OK:
      return model::IngestAnswer::kOk;
    case schema::IngestAnswer::DUPLICATE:
      return model::IngestAnswer::kDuplicate;
    case schema::IngestAnswer::FENCED:
      return model::IngestAnswer::kFenced;
    case schema::IngestAnswer::NO_SUCH_ATTEMPT:
      return model::IngestAnswer::kUnknown;
    case schema::IngestAnswer::MISSING:
      return model::IngestAnswer::kMissing;
    case schema::IngestAnswer::UNKNOWN:
      break;
  }
  return base::invalid("the answer to a delivery is unknown to this version");
}

}  // namespace fleetmark::rpc
