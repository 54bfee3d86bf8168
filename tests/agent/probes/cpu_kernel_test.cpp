#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "agent/probes/cpu/int_kernel.h"
#include "agent/probes/cpu/verdict.h"
#include "common/platform/process.h"

namespace fleetmark::agent::probes::cpu {
namespace {

// The published check value of CRC-32 (ISO-HDLC) over "123456789".
TEST(IntKernel, CrcIsTheStandardOne) {
  std::uint32_t state = 0;
  for (char letter : {'1', '2', '3', '4', '5', '6', '7', '8', '9'}) {
    state = IntKernel::crc(state, static_cast<std::uint32_t>(letter), 1);
  }
  EXPECT_EQ(state, 0xcbf43926U);
  EXPECT_EQ(IntKernel::crc(0, 0x34333231, 4),
            IntKernel::crc(IntKernel::crc(0, 0x3231, 2), 0x3433, 2));
}

TEST(IntKernel, WorksOnTwoThousandBytes) { EXPECT_EQ(IntKernel::dataSetBytes(), 2000U); }

TEST(IntKernel, EveryIterationGivesTheCheckValue) {
  IntKernel kernel;
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(kernel.iterate(), IntKernel::kCheck) << i;
}

// fleetmark_int_oracle.py computes it anew in another language, with none of this code.
TEST(IntKernel, CheckValueIsConfirmedByAnIndependentImplementation) {
  const char* root = std::getenv("FLEETMARK_SOURCE");
  platform::SpawnOptions options;
  options.program = "/usr/bin/python3";
  options.arguments = {std::string(root != nullptr ? root : ".") +
                       "/tests/agent/probes/fleetmark_int_oracle.py"};
  options.pipeStdout = true;
  auto child = platform::spawn(options);
  if (!child.has_value()) GTEST_SKIP() << "no python3: " << child.error().message;
  auto read = (*child)->readStdout(100, std::chrono::seconds(60));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(std::stoul(read->bytes, nullptr, 16), IntKernel::kCheck);
}

TEST(CpuVerdict, FullUseOfAPinnedCpuIsOk) {
  model::Sample sample;
  judge(sample, {.utilisation = 0.98, .pinInForce = true, .iterations = 10, .wrong = 0});
  EXPECT_EQ(sample.verdict, model::Verdict::kOk);
  EXPECT_TRUE(sample.reasons.empty());
}

TEST(CpuVerdict, LessThan98PercentIsContended) {
  model::Sample sample;
  judge(sample, {.utilisation = 0.5, .pinInForce = true, .iterations = 10, .wrong = 0});
  EXPECT_EQ(sample.verdict, model::Verdict::kContended);
  ASSERT_EQ(sample.reasons.size(), 1U);
  EXPECT_NE(sample.reasons[0].find("50.0 %"), std::string::npos);
}

TEST(CpuVerdict, WrongCheckValueIsUnverifiedAndOutweighsContention) {
  model::Sample sample;
  judge(sample, {.utilisation = 0.5, .pinInForce = true, .iterations = 10, .wrong = 1});
  EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
  EXPECT_EQ(sample.reasons.size(), 2U) << "both are told";
}

TEST(CpuVerdict, LostPinIsUnverified) {
  model::Sample sample;
  judge(sample, {.utilisation = 1.0, .pinInForce = false, .iterations = 10, .wrong = 0});
  EXPECT_EQ(sample.verdict, model::Verdict::kUnverified);
}

}  // namespace
}  // namespace fleetmark::agent::probes::cpu
