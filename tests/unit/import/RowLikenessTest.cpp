// SPDX-License-Identifier: Apache-2.0
// What differs between imports of a model for two numbers of rows.

#include "RowLikeness.h"
#include "mlir/Parser/Parser.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;

namespace {

/// The body with `N` in place of each ROWS.
std::string textFor(llvm::StringRef body, int64_t rows) {
  std::string text = "smp.entry @f(%x: tensor<ROWSx6xf32> {smp.name = \"x\"}) "
                     "-> (tensor<ROWSx6xf32> {smp.name = \"y\"}) {\n" +
                     body.str() + "\nsmp.return %x : tensor<ROWSx6xf32> }";
  for (size_t at; (at = text.find("ROWS")) != std::string::npos;)
    text.replace(at, 4, std::to_string(rows));
  return text;
}

/// The ops that are marked, in order; "others" when the ops are not the same.
std::string differences(llvm::StringRef few, llvm::StringRef many) {
  MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  auto small = parseSourceString<ModuleOp>(textFor(few, 101), &context),
       large = parseSourceString<ModuleOp>(textFor(many, 103), &context);
  EXPECT_TRUE(small && large);
  auto entryOf = [](ModuleOp module) {
    return *module.getOps<ir::EntryOp>().begin();
  };
  if (!frontend::markDifferences(entryOf(*small), 101, entryOf(*large), 103))
    return "others";
  std::string marked;
  large->walk([&](Operation *op) {
    if (op->hasAttr(ir::kFollowsRowsAttr))
      marked +=
          (marked.empty() ? "" : " ") + op->getName().stripDialect().str();
  });
  return marked;
}
std::string differences(llvm::StringRef body) {
  return differences(body, body);
}

TEST(RowLikeness, SizesInProportionAreNoDifference) {
  EXPECT_EQ(differences(R"(
    %c = smp.constant dense<2.0> : tensor<ROWSx6xf32>
    %s = smp.slice %x {starts = array<i64: 0, 1>, limits = array<i64: ROWS, 3>, strides = array<i64: 1, 1>} : (tensor<ROWSx6xf32>) -> tensor<ROWSx2xf32>
    %a = smp.add %x, %c : tensor<ROWSx6xf32>)"),
            "");
}

TEST(RowLikeness, OtherNumbersAre) {
  EXPECT_EQ(differences("%c = smp.constant dense<ROWS> : tensor<i64>"),
            "constant");
  EXPECT_EQ(differences("%c = smp.constant dense<[1, ROWS]> : tensor<2xi64>"),
            "constant");
  EXPECT_EQ(differences("%c = smp.constant dense<[1, 2]> : tensor<2xi64>"), "");
}

TEST(RowLikeness, SizesOutOfProportionAre) {
  EXPECT_EQ(differences("%i = smp.iota 0 : tensor<6xi64>",
                        "%i = smp.iota 0 : tensor<7xi64>"),
            "iota");
}

TEST(RowLikeness, PartsOfOtherSizesAre) {
  auto slice = [](const std::string &limit, const std::string &size) {
    return "%s = smp.slice %x {starts = array<i64: 0, 0>, limits = array<i64: "
           "ROWS, " +
           limit +
           ">, strides = array<i64: 1, 1>} : (tensor<ROWSx6xf32>) -> "
           "tensor<ROWSx" +
           size + "xf32>";
  };
  EXPECT_EQ(differences(slice("2", "2"), slice("3", "3")), "slice");
  EXPECT_EQ(differences(slice("2", "2")), "");
}

TEST(RowLikeness, OtherOpsAreAnotherModel) {
  const std::string tanh = "%a = smp.tanh %x : tensor<ROWSx6xf32>\n",
                    more = "%b = smp.exp %a : tensor<ROWSx6xf32>",
                    beside = "%b = smp.exp %x : tensor<ROWSx6xf32>";
  EXPECT_EQ(differences(tanh, tanh + more), "others");
  EXPECT_EQ(differences(tanh + beside, tanh + more), "others");
  EXPECT_EQ(differences("%a = smp.tanh %x : tensor<ROWSx6xf32>",
                        "%a = smp.exp %x : tensor<ROWSx6xf32>"),
            "others");
}

} // namespace
