// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Status.h"
#include <gtest/gtest.h>
#include <memory>

using namespace smp;

namespace {
Status failIf(bool fail) {
  return fail ? dataLoss("stages[0] is gone") : Status();
}
Status forward(bool fail) {
  SMP_RETURN_IF_ERROR(failIf(fail));
  return Status();
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
