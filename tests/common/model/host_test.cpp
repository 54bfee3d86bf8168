#include "common/model/host.h"

#include <gtest/gtest.h>

namespace fleetmark::model {
namespace {

TEST(LabelsMatch, WantsEveryLabelWithItsValue) {
  const Labels have{{"os", "linux"}, {"arch", "x64"}, {"agent", "local-a"}};
  EXPECT_TRUE(labelsMatch({}, have));
  EXPECT_TRUE(labelsMatch({{"os", "linux"}}, have));
  EXPECT_TRUE(labelsMatch(have, have));
  EXPECT_FALSE(labelsMatch({{"os", "macos"}}, have));
  EXPECT_FALSE(labelsMatch({{"os", "Linux"}}, have));
  EXPECT_FALSE(labelsMatch({{"os", "linux"}, {"gpu", "none"}}, have));
  EXPECT_FALSE(labelsMatch({{"os", ""}}, {}));
}

TEST(DescribeLabels, IsForPeople) {
  EXPECT_EQ(describeLabels({}), "(any)");
  EXPECT_EQ(describeLabels({{"os", "linux"}, {"arch", "x64"}}), "arch=x64, os=linux");
}

}  // namespace
}  // namespace fleetmark::model
