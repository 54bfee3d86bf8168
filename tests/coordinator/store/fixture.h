// A migrated database of its own for each test, and the campaigns and agents that tests need.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "common/base/random.h"
#include "coordinator/store/database.h"
#include "tests/support/test_database.h"

namespace fleetmark::coordinator::store {

constexpr base::Nanos kTtl = std::chrono::seconds(30);

// The value, or a test failure that names the error and ends the test.
template <typename T>
T must(base::Result<T> result) {
  if (!result) throw std::runtime_error("unexpected error: " + result.error().message);
  return std::move(result).value();
}
inline void must(const base::Status& status) {
  if (!status) throw std::runtime_error("unexpected error: " + status.error().message);
}
template <typename T>
base::ErrorCode codeOf(const base::Result<T>& result) {
  EXPECT_FALSE(result.has_value());
  return result ? base::ErrorCode::kInternal : result.error().code;
}

struct AgentChoice {
  std::string name = "agent-a";
  std::string machine = "machine-a";
  std::string boot = "boot-1";
  model::Labels labels = {{"os", "linux"}, {"arch", "x64"}};
  std::vector<std::string> probes = {"cpu/1", "disk/1"};
  std::string nonce = "start-1";
};

inline model::AgentHello makeHello(const AgentChoice& choice = {}) {
  model::AgentHello hello;
  hello.agent = base::newUuid();
  hello.name = choice.name;
  hello.version = "0.1.0";
  hello.labels = choice.labels;
  hello.probes = choice.probes;
  hello.host.hostname = choice.machine + ".example";
  hello.host.os = "linux";
  hello.host.cpuModel = "Imaginary 9000";
  hello.host.machineId = choice.machine;
  hello.host.bootId = choice.boot;
  hello.host.machineKey = "key of " + choice.machine;
  hello.host.effectiveCpus = 2.5;
  hello.host.memoryBytes = 8 * base::kGiB;
  hello.host.environmentJson = R"({"governor": "performance"})";
  hello.instanceNonce = choice.nonce;
  return hello;
}

// `jobs` jobs of one runner and the probe cpu, each with the steps of `steps`.
inline ports::NewCampaign makeCampaign(std::uint32_t jobs = 1,
                                       const std::vector<model::PlannedStep>& steps = {
                                           {"measure",
                                            {},
                                            std::chrono::seconds(5),
                                            std::chrono::seconds(60),
                                            base::Nanos(0),
                                            "",
                                            {}}}) {
  ports::NewCampaign out;
  out.yaml = "campaign: quick\n";
  out.submittedBy = "tester";
  out.maxAttempts = 2;
  auto& spec = out.plan.spec;
  spec.name = "quick";
  spec.title = "A quick look";
  spec.description = "two lines\nof text";
  spec.seed = 18446744073709551615ULL;
  spec.order = model::Order::kAbba;
  spec.runners = {{"linux", "static", {{"os", "linux"}}, {{"region", "here"}}}};
  model::ProbeUse use;
  use.profile = *model::makeProfile("cpu", 1, R"({"samples":5})");
  use.paramsJson = R"({"samples": 5})";
  use.placementJson = R"({"path": "/var/tmp"})";
  use.requestedSamples = 5;
  spec.probes = {use};
  for (std::uint32_t i = 0; i < jobs; ++i) {
    model::PlannedJob job;
    job.trial = i + 1;
    job.position = i;
    job.steps = steps;
    out.plan.jobs.push_back(job);
  }
  out.plan.estimate = std::chrono::seconds(5 * jobs);
  return out;
}

inline std::vector<model::PlannedStep> saveAndRestore(base::Nanos delay,
                                                      model::HostRelation relation) {
  model::PlannedStep save{"save", {}, base::Nanos(1), base::Nanos(2), base::Nanos(3), "", {}};
  model::PlannedStep restore{
      "restore", {{0, delay, relation}}, base::Nanos(1), base::Nanos(2), base::Nanos(3), "", {}};
  return {save, restore};
}

class StoreTest : public ::testing::Test {
 protected:
  StoreTest()
      : server_(support::TestPostgres::shared()),
        connectionString_(server_.freshDatabase()),
        db_(open()) {}

  std::unique_ptr<ports::Database> open() const {
    DatabaseOptions options;
    options.connectionString = connectionString_;
    options.lockTimeout = std::chrono::seconds(5);
    return openDatabase(std::move(options));
  }
  std::string sql(const std::string& statements) {
    return server_.sql(connectionString_, statements);
  }

  // fn(unit) in a transaction of its own.
  template <typename Fn>
  auto inUnit(ports::Database& db, Fn&& fn) {
    auto unit = must(db.begin());
    auto out = must(fn(*unit));
    must(unit->commit());
    return out;
  }
  template <typename Fn>
  auto inUnit(Fn&& fn) {
    return inUnit(*db_, std::forward<Fn>(fn));
  }

  base::CampaignId insert(const ports::NewCampaign& campaign) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.campaigns().insert(campaign); });
  }
  ports::Registration enter(const model::AgentHello& hello) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.agents().registerAgent(hello); });
  }
  ports::Registration enter(const AgentChoice& choice = {}) { return enter(makeHello(choice)); }
  std::optional<model::Assignment> claim(const ports::Registration& who, base::Nanos ttl = kTtl) {
    return inUnit([&](ports::UnitOfWork& unit) {
      return unit.queue().claim({who.agent, who.session, ttl});
    });
  }
  ports::StepSnapshot look(const model::LeaseRef& lease) {
    auto unit = must(db_->begin());
    return must(unit->queue().lock(lease.step, lease.epoch));
  }
  static ports::StepEnd endOf(const model::LeaseRef& lease, domain::StepState state,
                              model::Outcome outcome) {
    ports::StepEnd end;
    end.step = lease.step;
    end.epoch = lease.epoch;
    end.newState = state;
    end.outcome = outcome;
    end.bodySha256 = std::string(32, 'b');
    return end;
  }
  void finish(const ports::StepEnd& end) {
    auto unit = must(db_->begin());
    must(unit->queue().lock(end.step, end.epoch));
    must(unit->queue().end(end));
    must(unit->commit());
  }
  void measured(const model::LeaseRef& lease) {
    finish(endOf(lease, domain::StepState::kMeasured, model::Outcome::kMeasured));
  }
  std::vector<ports::StepStatus> steps(base::CampaignId id) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.campaigns().steps(id); });
  }
  ports::CampaignSummary summary(base::CampaignId id) {
    return inUnit([&](ports::UnitOfWork& unit) { return unit.campaigns().summary(id); });
  }

  support::TestPostgres& server_;
  std::string connectionString_;
  std::unique_ptr<ports::Database> db_;
};

}  // namespace fleetmark::coordinator::store
