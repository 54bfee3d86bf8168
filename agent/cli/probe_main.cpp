#include "agent/cli/probe_main.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "agent/core/probe_input.h"
#include "agent/platform/platform.h"
#include "agent/probes/clock_guard.h"
#include "agent/probes/probe.h"
#include "common/base/clock.h"
#include "common/base/units.h"
#include "common/probes/spec.h"
#include "common/rpc/probe_pipe.h"

namespace fleetmark::agent::cli {

namespace {

using fleetmark::probes::ProbeSpec;

// Each event goes out whole and at once: what a killed probe had measured still counts.
class PipeSink final : public probes::SampleSink {
 public:
  void sample(const model::Sample& sample) override { send(sample); }
  void notice(const model::Notice& notice) override { send(notice); }
  void progress(const std::string& text) override { send(rpc::ProbeProgress{text}); }
  void send(const rpc::ProbeEvent& event) {
    std::string bytes = rpc::encodeProbeEvent(event);
    if (std::fwrite(bytes.data(), 1, bytes.size(), stdout) != bytes.size() ||
        std::fflush(stdout) != 0) {
      std::_Exit(kExitInfrastructure);  // nobody listens any more
    }
  }
};

std::string scaled(double value, model::Unit unit) {
  char text[64];
  switch (unit) {
    case model::Unit::kSeconds:
      if (value < 1e-3) {
        std::snprintf(text, sizeof text, "%.2f us", value * 1e6);
      } else if (value < 1) {
        std::snprintf(text, sizeof text, "%.3f ms", value * 1e3);
      } else {
        std::snprintf(text, sizeof text, "%.3f s", value);
      }
      return text;
    case model::Unit::kBytes:
      return base::formatBytes({static_cast<std::int64_t>(value)});
    case model::Unit::kBytesPerSecond:
      return base::formatBytes({static_cast<std::int64_t>(value)}) + "/s";
    case model::Unit::kBitsPerSecond:
      return base::formatThousands(value / 1e6, 2) + " Mbps";
    case model::Unit::kIterationsPerSecond:
      return base::formatThousands(value, 0) + " it/s";
    case model::Unit::kOperationsPerSecond:
      return base::formatThousands(value, 0) + " op/s";
    case model::Unit::kRatio:
      std::snprintf(text, sizeof text, "%.4f", value);
      return text;
    case model::Unit::kCount:
      return base::formatThousands(value, 0);
  }
  return {};
}

class PeopleSink final : public probes::SampleSink {
 public:
  explicit PeopleSink(const ProbeSpec& spec) : spec_(spec) {}

  void sample(const model::Sample& sample) override {
    ++seen_;
    if (sample.verdict == model::Verdict::kOk) ++ok_;
    const auto* metric = spec_.metric(sample.metric);
    std::string value = !sample.value       ? "-"
                        : metric == nullptr ? std::to_string(*sample.value)
                                            : scaled(*sample.value, metric->unit);
    std::printf("%-28s %5u  %18s  %s", sample.metric.c_str(), sample.index, value.c_str(),
                std::string(model::toString(sample.verdict)).c_str());
    const char* separator = ": ";
    for (const auto& reason : sample.reasons) {
      std::printf("%s%s", separator, reason.c_str());
      separator = "; ";
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  void notice(const model::Notice& notice) override {
    std::printf("notice %s: %s\n", notice.stage.c_str(), notice.message.c_str());
    std::fflush(stdout);
  }
  void progress(const std::string& text) override {
    std::fprintf(stderr, "... %s\n", text.c_str());
  }

  void end(const base::Status& status) {
    if (!status) {
      std::fprintf(stderr, "fleetmark-agent: probe %s failed: %s\n",
                   std::string(spec_.name).c_str(), status.error().message.c_str());
    }
    std::printf("%s: %zu samples, %zu ok\n", std::string(spec_.name).c_str(), seen_, ok_);
  }

 private:
  const ProbeSpec& spec_;
  std::size_t seen_ = 0;
  std::size_t ok_ = 0;
};

class JsonSink final : public probes::SampleSink {
 public:
  void sample(const model::Sample& sample) override {
    nlohmann::json line = {{"type", "sample"},         {"metric", sample.metric},
                           {"index", sample.index},    {"started_at_ns", sample.startedAtNs},
                           {"value", nullptr},         {"verdict", model::toString(sample.verdict)},
                           {"reasons", sample.reasons}};
    if (sample.value) line["value"] = *sample.value;
    auto context = nlohmann::json::parse(sample.contextJson, nullptr, false);
    line["context"] = context.is_discarded() ? nlohmann::json::object() : std::move(context);
    write(line);
  }
  void notice(const model::Notice& notice) override {
    write({{"type", "notice"}, {"stage", notice.stage}, {"message", notice.message}});
  }
  void progress(const std::string& text) override { write({{"type", "progress"}, {"text", text}}); }

  void end(const base::Status& status) {
    nlohmann::json line = {{"type", "end"}, {"ok", status.has_value()}};
    if (!status) {
      line["code"] = base::toString(status.error().code);
      line["message"] = status.error().message;
    }
    write(line);
  }

 private:
  static void write(const nlohmann::json& line) {
    std::string text = line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
};

base::Status runProbe(const ProbeSpec& spec, const fleetmark::probes::Params& params,
                      probes::SampleSink& sink) {
  auto probe = probes::makeProbe(spec.name);
  if (!probe) {
    return base::unsupported("this build of the agent can't run probe '" + std::string(spec.name) +
                             "'");
  }
  auto platform = makePlatform();
  base::SystemClock clock;
  probes::ClockGuard guarded(sink, platform->clocks());
  return probe->run({params, *platform, clock, guarded});
}

base::Result<fleetmark::probes::Params> paramsOf(const ProbeSpec* spec,
                                                 const core::ProbeRequest& request) {
  if (spec == nullptr) return base::invalid("there is no probe '" + request.probe + "'");
  if (spec->protocol != request.protocol) {
    return base::invalid("probe '" + request.probe + "' has version " +
                         std::to_string(spec->protocol) + " here, asked for is " +
                         std::to_string(request.protocol));
  }
  FM_TRY_ASSIGN(auto params,
                fleetmark::probes::Params::parse(*spec, request.paramsJson, request.placementJson));
  if (spec->check != nullptr) {
    FM_TRY(spec->check(params));
  }
  return params;
}

int badInput(const base::Error& error) {
  std::fprintf(stderr, "fleetmark-agent: %s\n", error.message.c_str());
  return kExitBadInput;
}

int exitCode(const base::Status& status) {
  if (status) return kExitOk;
  return status.error().code == base::ErrorCode::kInternal ? kExitInfrastructure : kExitMeasurement;
}

}  // namespace

int runProbeForAgent(const std::string& name) {
  core::ProbeInput input;
  auto text = input.readRequest();
  if (!text) return badInput(text.error());
  auto request = core::decodeProbeRequest(*text);
  if (!request) return badInput(request.error());
  if (request->probe != name) {
    return badInput(
        base::invalid("the request is for probe '" + request->probe + "', not '" + name + "'"));
  }
  const ProbeSpec* spec = fleetmark::probes::findSpec(name);
  auto params = paramsOf(spec, *request);
  if (!params) return badInput(params.error());
  input.watchLease();
  PipeSink sink;
  auto status = runProbe(*spec, *params, sink);
  if (status) {
    sink.send(rpc::ProbeDone{});
  } else {
    sink.send(rpc::ProbeFailed{status.error()});
  }
  return exitCode(status);
}

int runProbeByHand(const core::ProbeRequest& request, ProbeOutput output) {
  const ProbeSpec* spec = fleetmark::probes::findSpec(request.probe);
  auto params = paramsOf(spec, request);
  if (!params) return badInput(params.error());
  switch (output) {
    case ProbeOutput::kPeople: {
      PeopleSink sink(*spec);
      auto status = runProbe(*spec, *params, sink);
      sink.end(status);
      return exitCode(status);
    }
    case ProbeOutput::kJsonLines: {
      JsonSink sink;
      auto status = runProbe(*spec, *params, sink);
      sink.end(status);
      return exitCode(status);
    }
  }
  return kExitInfrastructure;
}

}  // namespace fleetmark::agent::cli
