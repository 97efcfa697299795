#include "isa/Base/Support/Error.h"

#include <gtest/gtest.h>
#include <memory>

namespace tilerig {

static Result<int> half(int number) {
  if (number % 2)
    return invalidInput("half", "the number is odd", "give an even number");
  return number / 2;
}

static Result<int> quarter(int number) {
  TILERIG_TRY(int once, half(number));
  TILERIG_TRY(int twice, half(once));
  return twice;
}

static Status expectEven(int number) {
  TILERIG_CHECK_OK(half(number));
  return success();
}

TEST(Error, MessageHasPlaceWhatAndRemedy) {
  EXPECT_EQ(invalidInput("a.npz", "truncated", "copy it again").message(), "a.npz: truncated; copy it again");
  EXPECT_EQ(invalidInput("a.npz", "truncated").message(), "a.npz: truncated");
  EXPECT_EQ(invalidInput("", "truncated").message(), "truncated");
}

TEST(Error, WithinPutsTheOuterPlaceFirst) {
  EXPECT_EQ(invalidInput("entry 'x'", "damaged").within("a.npz").message(), "a.npz: entry 'x': damaged");
  EXPECT_EQ(invalidInput("", "damaged").within("a.npz").message(), "a.npz: damaged");
}

TEST(Error, KindsDecideTheExitCode) {
  EXPECT_EQ(exitCodeOf(usageError("", "").kind), ExitCode::usage);
  EXPECT_EQ(exitCodeOf(invalidInput("", "").kind), ExitCode::input);
  EXPECT_EQ(exitCodeOf(unsupported("", "").kind), ExitCode::input);
  EXPECT_EQ(exitCodeOf(internalError("", "").kind), ExitCode::internal);
  // The numbers of the exit codes are fixed, since scripts rely on them.
  EXPECT_EQ(static_cast<int>(ExitCode::done), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::mismatch), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::input), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::internal), 4);
}

TEST(Error, InternalErrorsAskForAReport) {
  EXPECT_NE(internalError("planner", "no address").message().find("please report"), std::string::npos);
}

TEST(Result, TryPassesValuesOnAndErrorsUp) {
  auto good = quarter(12);
  ASSERT_TRUE(good);
  EXPECT_EQ(*good, 3);
  auto first = quarter(3), second = quarter(6);
  ASSERT_FALSE(first);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().what, "the number is odd");
}

TEST(Result, CheckOkDropsValuesAndReturnsErrors) {
  EXPECT_TRUE(expectEven(4));
  auto status = expectEven(5);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().remedy, "give an even number");
}

TEST(Result, MovesWhatCannotBeCopied) {
  auto make = []() -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); };
  auto use = [&]() -> Result<int> {
    TILERIG_TRY(std::unique_ptr<int> pointer, make());
    return *pointer;
  };
  EXPECT_EQ(*use(), 7);
}

} // namespace tilerig
