#include "agent/core/job_runner.h"

#include <algorithm>
#include <optional>

#include "agent/core/child_log.h"
#include "agent/core/ending.h"
#include "agent/core/probe_input.h"
#include "agent/core/probe_request.h"
#include "common/base/log.h"
#include "common/platform/process.h"
#include "common/platform/process_tree.h"
#include "common/probes/spec.h"
#include "common/rpc/probe_pipe.h"
#include "common/rpc/wire_limits.h"

namespace fleetmark::agent::core {

namespace {

using model::Outcome;

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::string_view kRunning = "while the probe was running";
constexpr base::Nanos kEndingStep = std::chrono::milliseconds(20);
constexpr base::Nanos kKernelLimit = std::chrono::seconds(5);  // to end what was killed

std::size_t sizeOf(const model::Sample& sample) {
  std::size_t bytes = 64 + sample.metric.size() + sample.contextJson.size();
  for (const auto& reason : sample.reasons) bytes += 16 + reason.size();
  return bytes;
}

// One run, on the runner's thread.
class Run {
 public:
  Run(const RunnerOptions& options, const base::Clock& clock, const model::Assignment& assignment,
      RunSink& sink, RunControl& control)
      : options_(options),
        clock_(clock),
        assignment_(assignment),
        sink_(sink),
        control_(control),
        log_(options.maxLogBytes) {}

  model::Completion complete() {
    model::Completion out;
    out.environmentBeforeJson = environment();
    auto ready = prepare();
    if (ready) {
      watch();
      endChild();
      flush();
    } else {
      end({Outcome::kInfrastructure, ready.error().message});
    }
    out.environmentAfterJson = environment();
    decide();
    out.outcome = ending_->outcome;
    out.message = ending_->message.substr(0, rpc::kMaxMessage / 2);
    out.chunkCount = nextChunk_;
    out.notices = std::move(notices_);
    return out;
  }

 private:
  std::string environment() {
    std::string json = options_.environmentJson ? options_.environmentJson() : "{}";
    if (json.size() <= rpc::kMaxEnvironmentJson) return json;
    notice("agent/environment", "the host's facts were over the size limit and are left out");
    return "{}";
  }

  void notice(std::string stage, std::string message) {
    if (notices_.size() < options_.maxNotices) {
      notices_.push_back({std::move(stage), std::move(message)});
    } else if (notices_.size() == options_.maxNotices) {
      notices_.push_back({"agent/notices", "more notices of this attempt are not kept"});
    }
  }

  void end(Ending ending) {
    if (!ending_) ending_ = std::move(ending);
  }

  base::Status prepare() {
    spec_ = probes::findSpec(assignment_.probe);
    if (spec_ == nullptr) {
      return base::unsupported("this agent has no probe '" + assignment_.probe +
                               "'; update the agent");
    }
    if (spec_->protocol != assignment_.protocol) {
      return base::unsupported("this agent has version " + std::to_string(spec_->protocol) +
                               " of probe '" + assignment_.probe + "', the campaign asks for " +
                               std::to_string(assignment_.protocol) +
                               "; bring agent and coordinator to the same version");
    }
    FM_TRY(probes::Params::parse(*spec_, assignment_.paramsJson, assignment_.placementJson));
    FM_TRY_ASSIGN(auto request,
                  encodeProbeRequest({assignment_.probe, assignment_.protocol,
                                      assignment_.paramsJson, assignment_.placementJson}));
    if (control_.reason() != StopReason::kNone) {
      end(endingOf(control_.reason(), "before the probe was started"));
      return base::unavailable("ended before the probe was started");
    }
    platform::SpawnOptions spawn;
    spawn.program = options_.program;
    spawn.arguments = {"probe", assignment_.probe, "--pipe"};
    spawn.pipeStdin = true;
    spawn.pipeStdout = true;
    spawn.pipeStderr = true;
    FM_TRY_ASSIGN(process_, platform::spawn(spawn));
    started_ = lastEvent_ = clock_.mono();
    auto written = process_->writeStdin(request + "\n" + leaseLine());
    // A child that is gone already says why by its exit and its standard error.
    if (!written) log(base::LogLevel::kDebug, "probe.stdin", written.error().message);
    return {};
  }

  void log(base::LogLevel level, std::string_view event, const std::string& message) {
    base::log(level, event,
              {{"attempt", assignment_.attempt.value},
               {"probe", assignment_.probe},
               {"message", message}});
  }

  std::string leaseLine() {
    toldLease_ = control_.leaseUntil();
    // In this order: a stop between the two makes the time that is told shorter.
    base::MonoTime now = base::SystemClock().mono();
    return encodeLeaseLine(now, toldLease_ - clock_.mono());
  }

  // A child that hears of no renewal in time ends by itself.
  void tellLease() {
    if (control_.leaseUntil() == toldLease_ || !process_->stdinHasRoom()) return;
    auto written = process_->writeStdin(leaseLine());
    if (!written) log(base::LogLevel::kDebug, "probe.stdin", written.error().message);
  }

  // Until the child has ended, said its last word or must be ended.
  void watch() {
    while (!ending_ && !terminal_ && !pipeEnded_ && !exit_) {
      checkDeadlines();
      if (ending_) return;
      tellLease();
      readOutput(untilNextDeadline());
      readErrors();
      if (idle_) exit_ = process_->wait(base::Nanos(0));
    }
  }

  void checkDeadlines() {
    base::MonoTime now = clock_.mono();
    if (now >= control_.leaseUntil()) control_.stop(StopReason::kLeaseExpired);
    if (control_.reason() != StopReason::kNone) return end(endingOf(control_.reason(), kRunning));
    if (limited(assignment_.timeLimit) && now - started_ >= assignment_.timeLimit) {
      return end({Outcome::kMeasurement,
                  "probe '" + assignment_.probe + "' was over its time limit of " +
                      base::formatDuration(assignment_.timeLimit) + " and was ended"});
    }
    if (limited(assignment_.noProgressLimit) && now - lastEvent_ >= assignment_.noProgressLimit) {
      return end({Outcome::kMeasurement,
                  "probe '" + assignment_.probe + "' showed no progress for " +
                      base::formatDuration(assignment_.noProgressLimit) + " and was ended"});
    }
    if (!chunk_.samples.empty() && now - chunkOpened_ >= options_.chunkTime) flush();
  }

  static bool limited(base::Nanos limit) { return limit > base::Nanos(0); }

  base::Nanos untilNextDeadline() const {
    base::MonoTime now = clock_.mono();
    base::Nanos wait = std::min(options_.tick, control_.leaseUntil() - now);
    if (limited(assignment_.timeLimit)) {
      wait = std::min(wait, started_ + assignment_.timeLimit - now);
    }
    if (limited(assignment_.noProgressLimit)) {
      wait = std::min(wait, lastEvent_ + assignment_.noProgressLimit - now);
    }
    return std::max(wait, base::Nanos(std::chrono::milliseconds(1)));
  }

  void readOutput(base::Nanos wait) {
    auto read = process_->readStdout(kReadBytes, wait);
    idle_ = true;
    if (!read) {
      pipeEnded_ = true;
      return end({Outcome::kInfrastructure,
                  "the pipe of probe '" + assignment_.probe + "' failed: " + read.error().message});
    }
    if (read->eof) pipeEnded_ = true;
    if (read->bytes.empty()) return;
    idle_ = false;
    if (garbage_) return;  // already named; the rest is only drained
    auto taken = pipe_.feed(read->bytes);
    while (taken) {
      auto event = pipe_.next();
      if (!event) {
        taken = event.error();
        break;
      }
      if (!event->has_value()) return;
      taken = handle(**event);
    }
    garbage_ = true;
    end({Outcome::kInfrastructure,
         "probe '" + assignment_.probe + "' wrote what it may not: " + taken.error().message});
  }

  base::Status handle(rpc::ProbeEvent& event) {
    if (terminal_) return base::invalid("something after its last word");
    lastEvent_ = clock_.mono();
    if (auto* sample = std::get_if<model::Sample>(&event)) return take(std::move(*sample));
    if (auto* seen = std::get_if<model::Notice>(&event)) {
      notice(std::move(seen->stage), std::move(seen->message));
    } else if (auto* progress = std::get_if<rpc::ProbeProgress>(&event)) {
      sink_.progress(progress->text);
    } else {
      terminal_ = std::move(event);
    }
    return {};
  }

  base::Status take(model::Sample sample) {
    if (spec_->metric(sample.metric) == nullptr) {
      return base::invalid("a sample of the unknown metric '" + sample.metric + "'");
    }
    if (++samples_ > options_.maxSamples) {
      end({Outcome::kMeasurement, "probe '" + assignment_.probe + "' gave more than " +
                                      std::to_string(options_.maxSamples) +
                                      " samples; ask for fewer"});
      return {};
    }
    std::size_t bytes = sizeOf(sample);
    if (!chunk_.samples.empty() && chunkBytes_ + bytes > options_.chunkBytes) flush();
    if (chunk_.samples.empty()) chunkOpened_ = lastEvent_;
    chunk_.samples.push_back(std::move(sample));
    chunkBytes_ += bytes;
    if (chunk_.samples.size() >= options_.chunkSamples) flush();
    return {};
  }

  void flush() {
    if (chunk_.samples.empty()) return;
    if (!sinkFailed_) {
      chunk_.number = nextChunk_;
      auto kept = sink_.chunk(chunk_);
      if (kept) {
        ++nextChunk_;
      } else {
        sinkFailed_ = true;
        // A done or failed probe is over whatever else, but without its samples it is no result.
        ending_ = {Outcome::kInfrastructure,
                   "samples could not be kept on the agent's disk: " + kept.error().message};
        log(base::LogLevel::kError, "spool.append_failed", kept.error().message);
      }
    }
    chunk_.samples.clear();
    chunkBytes_ = 0;
  }

  void readErrors() {
    // A child that writes without an end must not keep the deadlines from being looked at.
    for (int round = 0; round < 16; ++round) {
      auto read = process_->readStderr(kReadBytes, base::Nanos(0));
      if (!read || read->bytes.empty()) return;
      pass(log_.feed(read->bytes));
    }
  }

  void pass(const std::string& lines) {
    if (!lines.empty()) sink_.log(lines);
  }

  // After this no process of the group is left, or a notice says that one is.
  void endChild() {
    bool asked = false;
    if (!exit_) {
      // After its last word a probe has the grace to end by itself; else it is asked to.
      if (ending_ || !terminal_) {
        // The pipe ends a moment before the process does.
        if (!ending_ && pipeEnded_) exit_ = process_->wait(kEndingStep * 5);
        if (!exit_) {
          asked = true;
          process_->terminate();
        }
      }
      waitOut(options_.grace);
      if (!exit_ && !asked) {
        notice("agent/child", "the probe did not end by itself after its last word");
        process_->terminate();
        waitOut(options_.grace);
      }
      if (!exit_) {
        if (asked) notice("agent/child", "the probe did not end when asked to and was killed");
        process_->killTree();
        exit_ = process_->wait(kKernelLimit);
      }
    }
    endTree(asked);
    pass(log_.finish());
  }

  void endTree(bool asked) {
    auto left = platform::descendants();
    std::erase_if(left, [&](const auto& one) { return one.pid == process_->pid(); });
    bool group = process_->groupAlive();
    process_->killTree();
    if (!asked && (group || !left.empty())) {
      notice("agent/child", "the probe left processes of its own behind" + namesOf(left) +
                                "; they were killed (found by process group" +
                                (platform::adoptsOrphans() ? " and as adopted orphans)" : ")"));
    }
    bool gone = process_->waitForGroup(kKernelLimit) && exit_;
    drain();
    process_.reset();
    auto tree = platform::endDescendants(kKernelLimit);
    if (gone && tree.left.empty()) return;
    notice("agent/child", "a process of the probe" + namesOf(tree.left) +
                              " could not be killed and may disturb what is measured next; "
                              "restart this machine");
    log(base::LogLevel::kError, "probe.unkillable", namesOf(tree.left));
  }

  static std::string namesOf(const std::vector<platform::TreeProcess>& processes) {
    std::string out;
    for (std::size_t i = 0; i < processes.size() && i < 5; ++i) {
      out += (i == 0 ? " (" : ", ") + std::to_string(processes[i].pid) + " " + processes[i].name;
    }
    if (processes.size() > 5) out += ", ...";
    return out.empty() ? out : out + ")";
  }

  void waitOut(base::Nanos limit) {
    for (base::Nanos waited{0}; waited < limit && !exit_; waited += kEndingStep) {
      drain();
      exit_ = process_->wait(kEndingStep);
    }
  }

  // What the child had written before it ended counts.
  void drain() {
    for (int round = 0; round < 1024; ++round) {
      if (!pipeEnded_) readOutput(base::Nanos(0));
      readErrors();
      if (pipeEnded_ || idle_) return;
    }
  }

  void decide() {
    if (ending_) return;
    if (terminal_) {
      if (const auto* failed = std::get_if<rpc::ProbeFailed>(&*terminal_)) {
        bool ours = failed->error.code == base::ErrorCode::kInternal;
        return end(
            {ours ? Outcome::kInfrastructure : Outcome::kMeasurement, failed->error.message});
      }
      if (exit_ && !exit_->clean()) {
        notice("agent/child", "the probe ended with " + exit_->describe() + " after it was done");
      }
      return end({Outcome::kMeasured, ""});
    }
    // It ended by itself while this process was stopped.
    if (clock_.mono() >= control_.leaseUntil()) {
      control_.stop(StopReason::kLeaseExpired);
      return end(endingOf(control_.reason(), kRunning));
    }
    std::string message = "probe '" + assignment_.probe + "' ended without a result";
    if (exit_) message += " (" + exit_->describe() + ")";
    if (!pipe_.atBoundary()) message += ", in the middle of a message";
    std::string tail = log_.tail();
    message += tail.empty() ? "; it wrote nothing to its log" : "; its last lines: " + tail;
    end({Outcome::kInfrastructure, message});
  }

  const RunnerOptions& options_;
  const base::Clock& clock_;
  const model::Assignment& assignment_;
  RunSink& sink_;
  RunControl& control_;

  const probes::ProbeSpec* spec_ = nullptr;
  std::unique_ptr<platform::Process> process_;
  base::MonoTime started_;
  base::MonoTime lastEvent_;
  base::MonoTime toldLease_;
  rpc::ProbePipeReader pipe_;
  bool pipeEnded_ = false;
  bool garbage_ = false;
  bool idle_ = false;  // the last read brought nothing
  std::optional<rpc::ProbeEvent> terminal_;
  std::optional<platform::ExitStatus> exit_;
  std::optional<Ending> ending_;

  model::SampleChunk chunk_;
  std::size_t chunkBytes_ = 0;
  base::MonoTime chunkOpened_;
  std::uint32_t nextChunk_ = 0;
  std::uint64_t samples_ = 0;
  bool sinkFailed_ = false;

  ChildLog log_;
  std::vector<model::Notice> notices_;
};

}  // namespace

model::Completion JobRunner::run(const model::Assignment& assignment, RunSink& sink,
                                 RunControl& control) {
  return Run(options_, clock_, assignment, sink, control).complete();
}

}  // namespace fleetmark::agent::core
