// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Status.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

using namespace smp;

namespace {
Status failIf(bool fail) {
  return fail ? dataLoss("stages[0] is gone") : Status();
}
Status forward(bool fail) {
  SMP_RETURN_IF_ERROR(failIf(fail));
  return Status();
}

StatusOr<int> half(int x) {
  if (x % 2)
    return invalidArgument(std::to_string(x) + " is odd");
  return x / 2;
}
StatusOr<std::unique_ptr<int>> allocateHalf(int x) {
  SMP_ASSIGN_OR_RETURN(const int result, half(x));
  return std::make_unique<int>(result);
}
StatusOr<int> eighth(int x) {
  SMP_ASSIGN_OR_RETURN(const int second, half(x).in("half"));
  SMP_ASSIGN_OR_RETURN(int result, half(second).in("quarter"));
  SMP_ASSIGN_OR_RETURN(result, half(result).in("eighth"));
  return result;
}
} // namespace

TEST(Status, OkHasNoMessage) {
  Status status;
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::Ok);
  EXPECT_EQ(status.message(), "");
  EXPECT_TRUE(status.in("load").ok());
}

TEST(Status, InPrefixesTheMessageAndKeepsTheCode) {
  Status status = failIf(/*fail=*/true).in("p.smp");
  EXPECT_EQ(status.code(), StatusCode::DataLoss);
  EXPECT_EQ(status.message(), "p.smp: stages[0] is gone");
}

TEST(Status, CopiesAreIndependent) {
  Status first = failIf(/*fail=*/true);
  Status second = first;
  first = Status();
  EXPECT_FALSE(second.ok());
  EXPECT_TRUE(first.ok());
}

TEST(Status, ReturnIfErrorReturnsOnlyErrors) {
  EXPECT_TRUE(forward(/*fail=*/false).ok());
  EXPECT_EQ(forward(/*fail=*/true).message(), "stages[0] is gone");
}

TEST(Status, EveryCodeHasItsOwnWords) {
  for (int a = 0; a <= int(StatusCode::Internal); ++a)
    for (int b = 0; b < a; ++b)
      EXPECT_STRNE(toString(StatusCode(a)), toString(StatusCode(b)));
}

TEST(StatusOr, HoldsAMoveOnlyValue) {
  StatusOr<std::unique_ptr<int>> value(std::make_unique<int>(7));
  ASSERT_TRUE(value.ok());
  std::unique_ptr<int> taken = value.take();
  EXPECT_EQ(*taken, 7);
}

TEST(StatusOr, HoldsAnError) {
  StatusOr<int> value(invalidArgument("x is 3 of 2"));
  ASSERT_FALSE(value.ok());
  EXPECT_EQ(value.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(value.status().message(), "x is 3 of 2");
}

TEST(StatusOr, InTellsItsErrorFromFurtherOut) {
  StatusOr<int> error = half(3).in("b").in("a");
  ASSERT_FALSE(error.ok());
  EXPECT_EQ(error.status().code(), StatusCode::InvalidArgument);
  EXPECT_EQ(error.status().message(), "a: b: 3 is odd");
  auto value = allocateHalf(8).in("a");
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(**value, 4);
}

TEST(AssignOrReturn, GivesTheValue) {
  StatusOr<int> value = eighth(24);
  ASSERT_TRUE(value.ok());
  EXPECT_EQ(*value, 3);
}

TEST(AssignOrReturn, ReturnsTheErrorOfTheLineThatFails) {
  EXPECT_EQ(eighth(7).status().message(), "half: 7 is odd");
  EXPECT_EQ(eighth(14).status().message(), "quarter: 7 is odd");
  EXPECT_EQ(eighth(28).status().message(), "eighth: 7 is odd");
  EXPECT_EQ(eighth(28).status().code(), StatusCode::InvalidArgument);
}

TEST(AssignOrReturn, MovesWhatCannotBeCopied) {
  std::unique_ptr<int> kept;
  auto keep = [&](int x) -> Status {
    SMP_ASSIGN_OR_RETURN(std::unique_ptr<int> made, allocateHalf(x));
    kept = std::move(made);
    return Status();
  };
  ASSERT_TRUE(keep(8).ok());
  EXPECT_EQ(*kept, 4);
  EXPECT_EQ(keep(9).message(), "9 is odd");
  EXPECT_EQ(*kept, 4);
}

TEST(AssignOrReturn, AssignsInALoopUpToTheError) {
  std::vector<std::unique_ptr<int>> made(4);
  auto fill = [&](std::vector<int> from) -> Status {
    for (size_t i = 0; i < from.size(); ++i) {
      SMP_ASSIGN_OR_RETURN(made[i], allocateHalf(from[i]));
    }
    return Status();
  };
  EXPECT_EQ(fill({2, 4, 5, 8}).message(), "5 is odd");
  EXPECT_EQ(*made[0], 1);
  EXPECT_EQ(*made[1], 2);
  EXPECT_EQ(made[2], nullptr);
  EXPECT_EQ(made[3], nullptr);
}

TEST(AssignOrReturn, TakesExpressionsWithCommas) {
  auto larger = [](std::pair<int, int> of) -> StatusOr<int> {
    SMP_ASSIGN_OR_RETURN(const int result,
                         StatusOr<std::pair<int, int>>(of).ok()
                             ? half(std::max(of.first, of.second))
                             : half(0));
    return result;
  };
  EXPECT_EQ(*larger({2, 6}), 3);
  EXPECT_FALSE(larger({9, 2}).ok());
}
