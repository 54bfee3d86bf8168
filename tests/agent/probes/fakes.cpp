#include "tests/agent/probes/fakes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace fleetmark::agent::probes::testing {

namespace {

using fleetmark::probes::ParamKind;
using fleetmark::probes::Params;

nlohmann::json standIn(const fleetmark::probes::ParamSpec& param) {
  switch (param.kind) {
    case ParamKind::kText:
      return "";
    case ParamKind::kChoice:
      return param.choices.front();
    case ParamKind::kFlag:
      return false;
    case ParamKind::kCount:
    case ParamKind::kDuration:
    case ParamKind::kBytes:
      return param.min;
  }
  return nullptr;
}

}  // namespace

std::vector<model::Sample> KeepingSink::of(const std::string& metric) const {
  std::vector<model::Sample> out;
  std::copy_if(samples.begin(), samples.end(), std::back_inserter(out),
               [&](const auto& one) { return one.metric == metric; });
  return out;
}

Params paramsOf(const std::string& probe, const std::map<std::string, std::string>& values) {
  const auto* spec = fleetmark::probes::findSpec(probe);
  EXPECT_NE(spec, nullptr) << probe;
  auto object = nlohmann::json::object();
  for (const auto& param : spec->params) {
    auto key = fleetmark::probes::jsonKey(param);
    auto given = values.find(key);
    object[key] = given == values.end() ? standIn(param) : nlohmann::json::parse(given->second);
  }
  auto parsed = Params::parse(*spec, object.dump(), "{}");
  EXPECT_TRUE(parsed.has_value());
  return std::move(parsed).value();
}

base::Status runProbe(const std::string& probe, const std::map<std::string, std::string>& values,
                      Platform& platform, const base::Clock& clock, SampleSink& sink) {
  auto params = paramsOf(probe, values);
  auto made = makeProbe(probe);
  EXPECT_NE(made, nullptr);
  return made->run({params, platform, clock, sink});
}

class LyingFile final : public DirectFile {
 public:
  LyingFile(LyingDisk& disk, base::Bytes size)
      : disk_(disk), content_(static_cast<std::size_t>(size.count)) {
    ++disk_.openFiles;
  }
  ~LyingFile() override { --disk_.openFiles; }
  std::optional<DirectAlignment> alignment() const override { return disk_.alignment; }

  base::Result<std::size_t> read(std::span<std::uint8_t> into, std::int64_t offset) override {
    const LyingDisk::Access access{Action::kRead, offset, into.size(), ++reads_};
    if (auto error = pass(access)) return *error;
    std::copy_n(content_.begin() + offset, into.size(), into.begin());
    disk_.read_ += static_cast<std::int64_t>(static_cast<double>(into.size()) * disk_.countedShare);
    return into.size();
  }
  base::Result<std::size_t> write(std::span<const std::uint8_t> from,
                                  std::int64_t offset) override {
    const LyingDisk::Access access{Action::kWrite, offset, from.size(), ++writes_};
    if (auto error = pass(access)) return *error;
    if (!disk_.loses || !disk_.loses(access)) {
      std::copy(from.begin(), from.end(), content_.begin() + offset);
    }
    disk_.written_ +=
        static_cast<std::int64_t>(static_cast<double>(from.size()) * disk_.countedShare);
    return from.size();
  }
  base::Status flush() override {
    if (auto error = pass({Action::kFlush, 0, 0, ++flushes_})) return *error;
    return {};
  }
  base::Result<double> residency() override {
    if (!disk_.resident) return base::unsupported("no mincore");
    return *disk_.resident;
  }

 private:
  std::optional<base::Error> pass(const LyingDisk::Access& access) {
    disk_.clock_.advance(disk_.latency ? disk_.latency(access) : std::chrono::microseconds(100));
    return disk_.fails ? disk_.fails(access) : std::nullopt;
  }

  LyingDisk& disk_;
  std::vector<std::uint8_t> content_;
  std::int64_t reads_ = 0;
  std::int64_t writes_ = 0;
  std::int64_t flushes_ = 0;
};

base::Result<std::unique_ptr<DirectFile>> LyingDisk::create(const std::string&, base::Bytes size) {
  ++created;
  return std::unique_ptr<DirectFile>(std::make_unique<LyingFile>(*this, size));
}

base::Result<IoCounters> LyingDisk::counters() {
  if (!countsIo) return base::unsupported("no counters");
  return IoCounters{base::Bytes{read_}, base::Bytes{written_}};
}

base::Result<std::vector<int>> FakeAffinity::allowed() {
  ++looks_;
  if (pinned_ && (loosensAfterLooks < 0 || looks_ <= loosensAfterLooks)) {
    return std::vector<int>{*pinned_};
  }
  return cpus;
}

base::Status FakeAffinity::pin(int cpu) {
  if (refusal) return *refusal;
  if (!pretends) pinned_ = cpu;
  return {};
}

}  // namespace fleetmark::agent::probes::testing
