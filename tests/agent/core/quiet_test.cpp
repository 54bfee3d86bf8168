#include "agent/core/quiet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace fleetmark::agent::core {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ActivityReading reading(std::int64_t runnable, base::Nanos busy, base::Nanos pressure) {
  ActivityReading out;
  out.cpus = 2;
  out.runnable = runnable;
  out.busy = busy;
  out.cpuPressure = pressure;
  out.ioPressure = pressure * 2;
  out.load1 = 7.5;
  return out;
}

base::MonoTime at(base::Nanos time) { return base::MonoTime(time); }

TEST(QuietWindow, LoadIsWhatRanOrWhatWantedToWhicheverIsMore) {
  // 1 s on 2 CPUs. 800 ms of CPU time and nobody seen in the queue: 0.8 / 2.
  auto ran = windowOf(std::vector<TimedReading>{{at(5s), reading(0, 100s, 9s)},
                                                {at(6s), reading(0, 100s + 800ms, 9s + 20ms)}},
                      {});
  EXPECT_DOUBLE_EQ(*ran.loadPerCpu, 0.4);
  EXPECT_DOUBLE_EQ(*ran.cpuPressure, 0.02);
  EXPECT_DOUBLE_EQ(*ran.ioPressure, 0.04);
  EXPECT_FALSE(ran.memoryPressure);
  EXPECT_DOUBLE_EQ(*ran.load1, 7.5);
  // Two CPUs can't run more than 2 s in a second, six tasks wanted to: (6 + 8 + 4) / 3 / 2.
  auto wanted = windowOf(std::vector<TimedReading>{{at(5s), reading(6, 100s, 9s)},
                                                   {at(5500ms), reading(8, 101s, 9s)},
                                                   {at(6s), reading(4, 102s, 9s)}},
                         {});
  EXPECT_DOUBLE_EQ(*wanted.loadPerCpu, 3.0);
}

TEST(QuietWindow, WhatTheSystemLacksIsAbsent) {
  ActivityReading bare;
  auto window = windowOf(std::vector<TimedReading>{{at(0s), bare}, {at(1s), bare}}, {});
  EXPECT_FALSE(window.loadPerCpu || window.cpuPressure || window.load1);
  auto json = nlohmann::json::parse(quietJson(window, disturbances(window, 0.3), 1s));
  EXPECT_TRUE(json["load_per_cpu"].is_null());
  EXPECT_TRUE(json["psi_cpu"].is_null());
  EXPECT_EQ(json["quiet"], false);
  bare.busy = 5s;  // a counter, but nobody knows of how many CPUs
  EXPECT_FALSE(windowOf(std::vector<TimedReading>{{at(0s), bare}, {at(1s), bare}}, {}).loadPerCpu);
  EXPECT_FALSE(windowOf({}, {}).loadPerCpu);
}

TEST(QuietWindow, ACounterThatWentBackSaysNothing) {
  auto window = windowOf(
      std::vector<TimedReading>{{at(5s), reading(1, 100s, 9s)}, {at(6s), reading(1, 1s, 1s)}}, {});
  EXPECT_FALSE(window.cpuPressure);
  EXPECT_DOUBLE_EQ(*window.loadPerCpu, 0.5) << "of what was seen to want to run";
}

struct Case {
  const char* name;
  std::optional<double> load;
  std::optional<double> pressure;
  std::vector<std::string> leftovers;
  std::vector<std::string> said;
};

TEST(Disturbances, AreNamedOneByOne) {
  const Case cases[] = {
      {"quiet", 0.29, 0.05, {}, {}},
      {"no PSI", 0.29, std::nullopt, {}, {}},
      {"at the limit", 0.3, 0.0, {}, {"load 0.30 per CPU, limit 0.30"}},
      {"waiting", 0.0, 0.25, {}, {"tasks waited for a CPU in 25 % of the time, limit 5 %"}},
      {"leftover", 0.0, 0.0, {"4711 (fio)"}, {"process 4711 (fio) of an earlier probe is left"}},
      {"all",
       1.5,
       0.5,
       {"1 (a)", "2 (b)"},
       {"load 1.50 per CPU, limit 0.30", "tasks waited for a CPU in 50 % of the time, limit 5 %",
        "process 1 (a) of an earlier probe is left", "process 2 (b) of an earlier probe is left"}},
  };
  for (const auto& one : cases) {
    QuietWindow window;
    window.loadPerCpu = one.load;
    window.cpuPressure = one.pressure;
    window.leftovers = one.leftovers;
    EXPECT_EQ(disturbances(window, 0.3), one.said) << one.name;
  }
  EXPECT_THAT(disturbances(QuietWindow{}, 0.3), ElementsAre(HasSubstr("can't be told")));
}

TEST(QuietJson, HoldsWhatWasSeen) {
  QuietWindow window;
  window.loadPerCpu = 0.5;
  window.load1 = 2.25;
  window.cpuPressure = 0.125;
  auto json = nlohmann::json::parse(quietJson(window, {"load"}, 1500ms));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"quiet":false,"waited_ns":1500000000,
      "load_per_cpu":0.5,"load1":2.25,"psi_cpu":0.125,"psi_io":null,"psi_memory":null,
      "disturbed_by":["load"]})"));
  EXPECT_EQ(nlohmann::json::parse(quietJson(window, {}, 1s))["quiet"], true);
}

}  // namespace
}  // namespace fleetmark::agent::core
