// SPDX-License-Identifier: Apache-2.0
// What a rewrite into several ops does to names and placements.

#include "smp/passes/NameKeeper.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp::ir;

namespace {

struct DecomposeSilu : OpRewritePattern<SiluOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SiluOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.decompose(rewriter));
    return success();
  }
};

class NameKeeperTest : public testing::Test {
protected:
  NameKeeperTest() { context.loadDialect<SmpDialect>(); }

  /// An entry whose only op is a silu, decomposed under a keeper.
  void decompose(const std::string &attributes) {
    module = parseSourceString<ModuleOp>(
        R"(smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
             -> (tensor<4xf32> {smp.name = "y"}) {
             %y = smp.silu %x )" +
            attributes + R"( : tensor<4xf32> loc("act")
             smp.return %y : tensor<4xf32>
           })",
        &context);
    ASSERT_TRUE(module);
    RewritePatternSet patterns(&context);
    patterns.add<DecomposeSilu>(&context);
    smp::passes::NameKeeper keeper;
    GreedyRewriteConfig config;
    config.setListener(&keeper);
    config.enableFolding(false);
    ASSERT_TRUE(
        succeeded(applyPatternsGreedily(*module, std::move(patterns), config)));
    keeper.finish(*module);
  }

  Block &body() {
    return (*module->getOps<EntryOp>().begin()).getBody().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(NameKeeperTest, TheLastOpHasTheNameTheOthersAreParts) {
  decompose("");
  unsigned parts = 0;
  for (Operation &op : body().without_terminator()) {
    EXPECT_EQ(getOriginName(&op), "act");
    EXPECT_FALSE(getPlacement(&op));
    if (isa<MulOp>(op))
      EXPECT_EQ(getSourceName(&op), "act");
    else
      parts += getSourceName(&op).empty();
  }
  EXPECT_EQ(parts, 5u); // A constant, neg, exp, add and div.
  EXPECT_FALSE((*module)->hasAttr(kRemovedNamesAttr));
}

TEST_F(NameKeeperTest, EveryPartKeepsThePin) {
  decompose("{smp.placement = #smp.placement<2, user>}");
  for (Operation &op : body().without_terminator()) {
    ASSERT_TRUE(getPlacement(&op)) << op.getName().getStringRef().str();
    EXPECT_EQ(getPlacement(&op).getPartition(), 2);
    EXPECT_TRUE(getPlacement(&op).isUser());
  }
}

TEST_F(NameKeeperTest, DecisionsOfPassesAreKeptAsWell) {
  decompose("{smp.placement = #smp.placement<all, propagated>}");
  for (Operation &op : body().without_terminator()) {
    ASSERT_TRUE(getPlacement(&op));
    EXPECT_TRUE(getPlacement(&op).isAll());
    EXPECT_EQ(getPlacement(&op).getOrigin(), Origin::Propagated);
  }
}

TEST(Names, AreMergedOnceAndInOrder) {
  MLIRContext context;
  auto name = [&](StringRef text) -> Location {
    return NameLoc::get(StringAttr::get(&context, text));
  };
  Location both = withNamesOf(name("a"), name("b"));
  EXPECT_EQ(withNamesOf(both, name("a")), both);
  EXPECT_EQ(withNamesOf(both, UnknownLoc::get(&context)), both);
  auto names = getSourceNames(withNamesOf(both, name("c")));
  ASSERT_EQ(names.size(), 3u);
  EXPECT_EQ(names[0].getValue(), "a");
  EXPECT_EQ(names[2].getValue(), "c");
  EXPECT_TRUE(getSourceNames(partOf(both)).empty());
}

} // namespace
