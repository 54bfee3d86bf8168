#include <nlohmann/json.hpp>

#include "agent/platform/platform.h"
#include "agent/probes/contention_json.h"
#include "agent/probes/disk/measured_file.h"
#include "agent/probes/disk/operations.h"
#include "agent/probes/disk/proof.h"
#include "agent/probes/probe.h"
#include "common/base/random.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes {

namespace {

using namespace disk;

base::Error stopped() { return base::unavailable("the disk probe was stopped by a signal"); }

// Refusals first, before anything is written.
base::Result<FileSystemFacts> chooseFileSystem(DirectIo& io, const std::string& folder,
                                               base::Bytes size) {
  FM_TRY_ASSIGN(auto facts, io.fileSystem(folder));
  const std::string where = "'" + folder + "' (" + facts.type + " at " + facts.mountPoint + ")";
  if (facts.memoryBacked) {
    return base::unsupported(where +
                             " lives in memory, so there is no disk to measure; set 'path' "
                             "to a folder on a disk's file system, such as /var/tmp");
  }
  if (facts.readOnly) {
    return base::denied(where +
                        " is mounted read-only; set 'path' to a folder that can be written");
  }
  FM_TRY_ASSIGN(auto free, io.freeSpace(folder));
  const base::Bytes needed{size.count + size.count / 64 + base::kMiB};
  if (free < needed) {
    return base::unavailable(where + " has " + base::formatBytes(free) +
                             " free and the probe needs " + base::formatBytes(needed) +
                             "; free some space, or use a smaller 'file' or another 'path'");
  }
  return facts;
}

class DiskRun {
 public:
  DiskRun(const ProbeContext& context, FileSystemFacts facts, std::unique_ptr<DirectFile> file,
          std::uint64_t seed)
      : context_(context),
        facts_(std::move(facts)),
        alignment_(file->alignment()),
        seeds_(seed),
        file_(std::move(file), context.params.bytes("file"), seed) {}

  // Writes the whole file. Untimed.
  base::Status prepare() {
    file_.nextGeneration();
    FM_TRY(overAllChunks("prepare", [&](std::uint64_t chunk) { return file_.writeChunk(chunk); }));
    return file_.file().flush();
  }

  // One sample of one operation. An error: going on makes no sense; the sample has been sent.
  base::Status measure(Operation operation, std::uint32_t index) {
    auto& platform = context_.platform;
    model::Sample sample;
    sample.metric = std::string(metricOf(operation));
    sample.index = index;
    const Limits limits{context_.params.duration("min_duration"),
                        context_.params.duration("sample_timeout")};
    const auto contentionBefore = platform.contention().read();
    const auto ioBefore = platform.directIo().counters();
    sample.startedAtNs = base::toUnixNanos(context_.clock.wall());
    const Window window = runOperation(operation, file_, context_.clock, limits, seeds_.next());
    const auto ioAfter = platform.directIo().counters();
    const auto contentionAfter = platform.contention().read();
    Proof proof{.fileSystem = facts_,
                .alignment = alignment_,
                .moved = window.bytes,
                .blockLayer = std::nullopt,
                .resident = std::nullopt,
                .minLatency = window.latency.min()};
    if (ioBefore.has_value() && ioAfter.has_value()) {
      proof.blockLayer = writes(operation)
                             ? base::Bytes{ioAfter->written.count - ioBefore->written.count}
                             : base::Bytes{ioAfter->read.count - ioBefore->read.count};
    }
    if (auto resident = file_.file().residency(); resident.has_value()) proof.resident = *resident;

    Verification verification;
    base::Status verified;
    if (writes(operation) && window.ending != Ending::kFailed &&
        window.ending != Ending::kStopped) {
      verified = overAllChunks(
          "verify " + std::string(wordOf(operation)),
          [&](std::uint64_t chunk) { return file_.verifyChunk(chunk, verification); });
    }
    judge(sample, window, proof, verification, verified);
    sample.contextJson = about(operation, window, proof, verification,
                               contentionJson(contentionBefore, contentionAfter, window.elapsed));
    context_.sink.sample(sample);
    if (window.error) return *window.error;
    if (window.ending == Ending::kStopped) return stopped();
    return verified;
  }

 private:
  template <typename Work>
  base::Status overAllChunks(const std::string& what, Work work) {
    const auto chunks = file_.chunks();
    const auto tenth = std::max<std::uint64_t>(1, chunks / 10);
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk) {
      if (chunk % tenth == 0) {
        context_.sink.progress(what + " " + std::to_string(chunk * 100 / chunks) + " %");
      }
      if (platform::StopSignal::requested()) return stopped();
      FM_TRY(work(chunk));
    }
    return {};
  }

  // The gravest finding is the verdict; every finding is a reason.
  static void judge(model::Sample& sample, const Window& window, const Proof& proof,
                    const Verification& verification, const base::Status& verified) {
    auto found = [&](model::Verdict verdict, std::string reason) {
      if (sample.verdict == model::Verdict::kOk) sample.verdict = verdict;
      sample.reasons.push_back(std::move(reason));
    };
    switch (window.ending) {
      case Ending::kComplete:
        break;
      case Ending::kTimedOut:
        found(model::Verdict::kTimedOut, "over its time limit after " +
                                             base::formatDuration(window.elapsed) + " and " +
                                             base::formatBytes(window.bytes));
        break;
      case Ending::kStopped:
        found(model::Verdict::kIncomplete, "stopped by a signal");
        break;
      case Ending::kFailed:
        found(model::Verdict::kUnavailable, window.error ? window.error->message : "failed");
        break;
    }
    if (window.wrongReads > 0) {
      found(model::Verdict::kUnverified, std::to_string(window.wrongReads) + " of " +
                                             std::to_string(window.operations) +
                                             " reads brought content that wasn't written there");
    }
    if (verification.wrong > 0) {
      found(model::Verdict::kUnverified,
            std::to_string(verification.wrong) + " of " + std::to_string(verification.blocks) +
                " blocks don't hold what was written, the first is number " +
                std::to_string(verification.firstWrong.value_or(0)));
    }
    if (!verified.has_value()) {
      found(model::Verdict::kUnverified,
            "the writes couldn't be read back: " + verified.error().message);
    }
    if (window.operations > 0) {
      for (auto& doubt : doubts(proof)) found(model::Verdict::kUnverified, std::move(doubt));
    }
    // A window that was cut short has no rate: what it did is in the context.
    if (window.ending == Ending::kComplete && window.elapsed > base::Nanos(0)) {
      sample.value = rate(window, sample.metric);
    }
  }

  static double rate(const Window& window, const std::string& metric) {
    const bool random =
        metric == metricOf(Operation::kRandomRead) || metric == metricOf(Operation::kRandomWrite);
    const auto amount = random ? window.operations : window.bytes.count;
    return static_cast<double>(amount) * 1e9 / static_cast<double>(window.elapsed.count());
  }

  static std::string about(Operation operation, const Window& window, const Proof& proof,
                           const Verification& verification, const std::string& contention) {
    nlohmann::json out{{"operation", wordOf(operation)},
                       {"operation_bytes", isSequential(operation) ? kChunkBytes : kBlockBytes},
                       {"window_ns", window.elapsed.count()},
                       {"operations", window.operations},
                       {"bytes", window.bytes.count},
                       {"latency", nlohmann::json::parse(window.latency.json())},
                       {"proof", nlohmann::json::parse(proofJson(proof))},
                       {"contention", nlohmann::json::parse(contention)}};
    if (window.seed) out["seed"] = *window.seed;
    if (writes(operation)) {
      out["flush_ns"] = window.flush.count();
      out["verified_blocks"] = verification.blocks;
      out["wrong_blocks"] = verification.wrong;
    } else {
      out["wrong_reads"] = window.wrongReads;
    }
    return out.dump();
  }

  const ProbeContext& context_;
  const FileSystemFacts facts_;
  const std::optional<DirectAlignment> alignment_;
  base::SeededRandom seeds_;
  MeasuredFile file_;
};

class DiskProbe final : public Probe {
 public:
  base::Status run(const ProbeContext& context) override {
    auto& io = context.platform.directIo();
    const auto folder = context.params.text("path");
    const auto size = context.params.bytes("file");
    FM_TRY(io.fileSystem(folder));
    // First: what a killed run left may be the space that is needed.
    removeLeftovers(io, folder, context.sink);
    FM_TRY_ASSIGN(auto facts, chooseFileSystem(io, folder, size));
    FM_TRY_ASSIGN(auto file, io.create(folder, size));
    if (auto alignment = file->alignment()) {
      if (alignment->offset == 0 || alignment->offset > kBlockBytes ||
          alignment->memory > AlignedBuffer::kAlignment) {
        return base::unsupported(
            "'" + folder + "' (" + facts.type + ") takes direct I/O in steps of " +
            std::to_string(alignment->offset) +
            " bytes (0: not at all), the probe needs 4096 or less; set 'path' to another disk");
      }
    }
    DiskRun run(context, facts, std::move(file), base::secureRandomSeed());
    FM_TRY(run.prepare());
    const auto samples = context.params.count("samples");
    for (std::int64_t index = 0; index < samples; ++index) {
      for (auto operation : kOperations) {
        if (platform::StopSignal::requested()) return stopped();
        context.sink.progress(std::string(wordOf(operation)) + " " + std::to_string(index + 1) +
                              "/" + std::to_string(samples));
        FM_TRY(run.measure(operation, static_cast<std::uint32_t>(index)));
      }
    }
    return {};
  }

 private:
  static void removeLeftovers(DirectIo& io, const std::string& folder, SampleSink& sink) {
    auto removed = io.removeStale(folder);
    if (!removed.has_value()) {
      sink.notice({"disk/cleanup", "couldn't look for files of killed runs in '" + folder +
                                       "': " + removed.error().message});
      return;
    }
    for (const auto& path : *removed) {
      sink.notice({"disk/cleanup", "removed '" + path + "', left by a run that was killed"});
    }
  }
};

}  // namespace

std::unique_ptr<Probe> diskProbe() { return std::make_unique<DiskProbe>(); }

}  // namespace fleetmark::agent::probes
