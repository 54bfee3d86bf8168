// What the probes' tests stand on: a sink that keeps everything, parameters by name, and an
// operating system that lies on request.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/platform/platform.h"
#include "agent/probes/probe.h"
#include "common/base/clock.h"
#include "common/probes/spec.h"

namespace fleetmark::agent::probes::testing {

class KeepingSink final : public SampleSink {
 public:
  void sample(const model::Sample& one) override { samples.push_back(one); }
  void notice(const model::Notice& one) override { notices.push_back(one); }
  void progress(const std::string& text) override {
    progresses.push_back(text);
    if (onProgress) onProgress(text);
  }
  std::vector<model::Sample> of(const std::string& metric) const;

  std::vector<model::Sample> samples;
  std::vector<model::Notice> notices;
  std::vector<std::string> progresses;
  std::function<void(const std::string&)> onProgress;
};

// Resolved parameters of a probe: the given ones as JSON text ("2", "\"/tmp\""), under the keys of
// jsonKey, and the first choice, least number or empty text for the rest.
fleetmark::probes::Params paramsOf(const std::string& probe,
                                   const std::map<std::string, std::string>& values);

// Runs a probe to its end.
base::Status runProbe(const std::string& probe, const std::map<std::string, std::string>& values,
                      Platform& platform, const base::Clock& clock, SampleSink& sink);

class SteppedClock final : public base::Clock {
 public:
  base::MonoTime mono() const override { return base::MonoTime(now_); }
  base::WallTime wall() const override { return base::WallTime(now_); }
  void advance(base::Nanos by) { now_ += by; }

 private:
  base::Nanos now_{1'000'000'000};
};

enum class Action { kRead, kWrite, kFlush };

// A disk in memory. It moves the clock by what `latency` says and tells the truth about itself
// except where a member asks for a lie.
class LyingDisk final : public DirectIo {
 public:
  explicit LyingDisk(SteppedClock& clock) : clock_(clock) {}
  base::Result<FileSystemFacts> fileSystem(const std::string&) override { return facts; }
  base::Result<base::Bytes> freeSpace(const std::string&) override { return free; }
  base::Result<std::unique_ptr<DirectFile>> create(const std::string& folder,
                                                   base::Bytes size) override;
  base::Result<IoCounters> counters() override;
  base::Result<std::vector<std::string>> removeStale(const std::string&) override {
    return std::vector<std::string>{};
  }

  // `at`: offset in bytes, `size`: of the one access, `number`: count of this action so far.
  struct Access {
    Action action;
    std::int64_t at;
    std::size_t size;
    std::int64_t number;
  };
  FileSystemFacts facts{"ext4", "/", "rw", "/dev/fake", false, false};
  base::Bytes free{1LL << 40};
  std::optional<DirectAlignment> alignment = DirectAlignment{512, 512};
  double countedShare = 1.0;  // of the bytes moved that the kernel admits to
  bool countsIo = true;
  std::optional<double> resident = 0.0;
  std::function<base::Nanos(const Access&)> latency;  // 100 us when empty
  std::function<bool(const Access&)> loses;           // a write that is acknowledged only
  std::function<std::optional<base::Error>(const Access&)> fails;
  int created = 0;
  int openFiles = 0;

 private:
  friend class LyingFile;
  SteppedClock& clock_;
  std::int64_t read_ = 0;
  std::int64_t written_ = 0;
};

// Affinity that can refuse or pretend.
class FakeAffinity final : public CpuAffinity {
 public:
  base::Result<std::vector<int>> allowed() override;
  base::Status pin(int cpu) override;
  base::Result<int> current() override { return pinned_.value_or(0); }

  std::vector<int> cpus{0, 1, 2, 3};
  std::optional<base::Error> refusal;
  bool pretends = false;       // accepts and does nothing
  int loosensAfterLooks = -1;  // number of looks after which the pin is gone

 private:
  std::optional<int> pinned_;
  int looks_ = 0;
};

// Real where a test gives nothing else.
class MixedPlatform final : public Platform {
 public:
  HostInspector& host() override { return real_->host(); }
  CpuAffinity& affinity() override { return affinityFake ? *affinityFake : real_->affinity(); }
  ContentionMeter& contention() override { return real_->contention(); }
  DirectIo& directIo() override { return directIoFake ? *directIoFake : real_->directIo(); }
  HostActivity& activity() override { return real_->activity(); }
  MachineClocks& clocks() override { return real_->clocks(); }

  CpuAffinity* affinityFake = nullptr;
  DirectIo* directIoFake = nullptr;

 private:
  std::unique_ptr<Platform> real_ = makePlatform();
};

}  // namespace fleetmark::agent::probes::testing
