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
  void decompose(const std::string &attributes,
                 const std::string &location = "\"act\"") {
    module = parseSourceString<ModuleOp>(
        R"(smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
             -> (tensor<4xf32> {smp.name = "y"}) {
             %y = smp.silu %x )" +
            attributes + " : tensor<4xf32> loc(" + location + R"()
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

/// What is derived from the model has names that are no op's.
TEST_F(NameKeeperTest, TheLastOpAloneHasTheDerivedName) {
  decompose("", R"(callsite("of act" at "act"))");
  unsigned named = 0;
  for (Operation &op : body().without_terminator()) {
    EXPECT_EQ(getOriginName(&op), "act");
    EXPECT_TRUE(getSourceNames(op.getLoc()).empty());
    const SmallVector<StringAttr> names = getDerivedNames(op.getLoc());
    EXPECT_EQ(names.size(), size_t(isa<MulOp>(op)));
    named += names.size() == 1 && names.front() == "of act";
  }
  EXPECT_EQ(named, 1u);
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

/// The names at a location, in order.
std::vector<std::string> namesOf(Location location) {
  std::vector<std::string> names;
  for (StringAttr name : getSourceNames(location))
    names.push_back(name.str());
  return names;
}

TEST(Names, AreMergedOnceAndInOrder) {
  MLIRContext context;
  context.loadDialect<SmpDialect>();
  auto name = [&](StringRef text) -> Location {
    return NameLoc::get(StringAttr::get(&context, text));
  };
  auto module = parseSourceString<ModuleOp>(
      R"(smp.entry @e(%x: tensor<4xf32> {smp.name = "x"})
             -> (tensor<4xf32> {smp.name = "y"}) {
           %a = smp.exp %x : tensor<4xf32> loc("a")
           %b = smp.neg %a : tensor<4xf32> loc("b")
           %c = smp.neg %b : tensor<4xf32> loc("c")
           smp.return %c : tensor<4xf32>
         })",
      &context);
  ASSERT_TRUE(module);
  Block &body = (*module->getOps<EntryOp>().begin()).getBody().front();
  std::vector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  PendingNames names;
  names.add(ops[1]->getResult(0), name("d"));
  names.add(ops[1]->getResult(0), name("b"));
  names.move(ops[1], ops[0]->getResult(0)); // b, d
  names.add(ops[0]->getResult(0), name("a"));
  names.add(ops[0]->getResult(0), UnknownLoc::get(&context));
  names.add(body.getArgument(0), name("z"));
  names.add(ops[2]->getResult(0), name("e"));
  EXPECT_EQ(names.take(ops[2]).size(), 1u);
  EXPECT_TRUE(names.take(ops[2]).empty());
  names.apply();
  EXPECT_EQ(namesOf(ops[0]->getLoc()),
            (std::vector<std::string>{"a", "b", "d"}));
  EXPECT_EQ(namesOf(ops[1]->getLoc()), std::vector<std::string>{"b"});
  EXPECT_EQ(namesOf(ops[2]->getLoc()), std::vector<std::string>{"c"});
  EXPECT_EQ(namesOf(body.getArgument(0).getLoc()),
            std::vector<std::string>{"z"});
  EXPECT_TRUE(namesOf(partOf(ops[0]->getLoc())).empty());
}

} // namespace
