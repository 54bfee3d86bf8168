#include "common/base/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace fleetmark::base {
namespace {

Result<int> half(int value) {
  if (value % 2 != 0) return invalid("odd");
  return value / 2;
}

Result<int> quarter(int value) {
  FM_TRY_ASSIGN(int once, half(value));
  FM_TRY_ASSIGN(int twice, half(once));
  return twice;
}

Status isEven(int value) {
  FM_TRY(half(value));
  return {};
}

TEST(Result, HandsValuesAndErrorsOn) {
  EXPECT_EQ(*quarter(12), 3);
  EXPECT_EQ(quarter(6).error(), invalid("odd"));
  EXPECT_TRUE(isEven(4));
  EXPECT_EQ(isEven(5).error().message, "odd");
}

TEST(Result, MovesWhatCanNotBeCopied) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(ResultDeathTest, ReadingTheWrongSideEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  Result<int> bad(invalid("x"));
  EXPECT_DEATH((void)bad.value(), "invariant broken");
  Result<int> good(1);
  EXPECT_DEATH((void)good.error(), "invariant broken");
}

TEST(ErrorCode, WordsGoBothWays) {
  for (auto code : {ErrorCode::kInvalid, ErrorCode::kNotFound, ErrorCode::kConflict,
                    ErrorCode::kDenied, ErrorCode::kUnavailable, ErrorCode::kOverloaded,
                    ErrorCode::kUnsupported, ErrorCode::kInternal}) {
    EXPECT_EQ(parseErrorCode(toString(code)), code);
  }
  EXPECT_EQ(toString(ErrorCode::kNotFound), "not_found");
  EXPECT_EQ(parseErrorCode("Invalid"), std::nullopt);
}

}  // namespace
}  // namespace fleetmark::base
