// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Lists.h"
#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <set>

using namespace smp;

namespace {
struct Kernel {
  std::string name;
  int level;
};
const std::vector<Kernel> kKernels = {{"pack", 2}, {"matmul", 4}};
using Words = std::vector<std::string>;
} // namespace

TEST(Lists, JoinPutsTheSeparatorBetweenItems) {
  EXPECT_EQ(join(Words{}, ", "), "");
  EXPECT_EQ(join(Words{"a"}, ", "), "a");
  EXPECT_EQ(join(Words{"a", "b", "c"}, "; "), "a; b; c");
}

TEST(Lists, JoinKeepsEmptyItems) {
  EXPECT_EQ(join(Words{"", "", "c"}, ","), ",,c");
}

TEST(Lists, JoinWritesIntegersAsNumbers) {
  EXPECT_EQ(join(std::vector<int64_t>{-1, 65, 0}, ","), "-1,65,0");
  EXPECT_EQ(join(std::set<uint32_t>{2, 1}, ", "), "1, 2");
}

TEST(Lists, JoinTakesWhatIsSaidOfAnItem) {
  EXPECT_EQ(join(kKernels, ", ", &Kernel::name), "pack, matmul");
  EXPECT_EQ(join(kKernels, ", ", &Kernel::level), "2, 4");
  EXPECT_EQ(join(kKernels, ", ",
                 [](const Kernel &kernel) {
                   return kernel.name + " v" + std::to_string(kernel.level);
                 }),
            "pack v2, matmul v4");
  std::array<std::unique_ptr<int>, 2> owned = {std::make_unique<int>(1),
                                               std::make_unique<int>(2)};
  EXPECT_EQ(join(owned, "+", [](auto &each) { return *each; }), "1+2");
}

TEST(Lists, NamesAreQuotedAndNeverNothing) {
  EXPECT_EQ(listNames(Words{}), "none");
  EXPECT_EQ(listNames(Words{""}), "''");
  EXPECT_EQ(listNames(Words{"a", "b"}), "'a', 'b'");
  EXPECT_EQ(listNames(kKernels, &Kernel::name), "'pack', 'matmul'");
  EXPECT_EQ(listNames(std::initializer_list<const char *>{"x"}), "'x'");
}

TEST(Lists, ChoicesEndWithOr) {
  EXPECT_EQ(listChoices({}), "");
  EXPECT_EQ(listChoices({"v2"}), "v2");
  EXPECT_EQ(listChoices({"v2", "v3"}), "v2 or v3");
  EXPECT_EQ(listChoices({"v2", "v3", "v4"}), "v2, v3 or v4");
}
