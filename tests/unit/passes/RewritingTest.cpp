// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Rewriting.h"
#include "mlir/Parser/Parser.h"
#include "smp/ir/Smp.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;

namespace {

/// x + y as y + x, for ever or once.
struct Swap : OpRewritePattern<ir::AddOp> {
  Swap(MLIRContext *context, bool isEndless)
      : OpRewritePattern(context), isEndless(isEndless) {}
  LogicalResult matchAndRewrite(ir::AddOp op,
                                PatternRewriter &rewriter) const override {
    if (!isEndless && op->hasAttr("swapped"))
      return failure();
    auto swapped = ir::AddOp::create(rewriter, op.getLoc(), op.getType(),
                                     op->getOperand(1), op->getOperand(0));
    swapped->setAttr("swapped", rewriter.getUnitAttr());
    rewriter.replaceOp(op, swapped);
    return success();
  }
  bool isEndless;
};

/// The error of rewriting, or nothing, and the first operand of the sum.
std::pair<std::string, std::string> rewrite(bool isEndless) {
  MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &diagnostic) { error = diagnostic.str(); });
  auto module = parseSourceString<ModuleOp>(
      R"(smp.entry @f(%x: tensor<2xf32> {smp.name = "x"}, %y: tensor<2xf32> {smp.name = "y"}) -> (tensor<2xf32> {smp.name = "z"}) {
        %z = smp.add %x, %y : tensor<2xf32>
        smp.return %z : tensor<2xf32>
      })",
      &context);
  RewritePatternSet patterns(&context);
  patterns.add<Swap>(&context, isEndless);
  RewriterBase::Listener listener;
  const bool isDone = succeeded(
      passes::rewriteGreedily(*module, std::move(patterns), &listener));
  EXPECT_EQ(isDone, error.empty()) << error;
  unsigned first = 2;
  module->walk([&](ir::AddOp op) {
    first = cast<BlockArgument>(op->getOperand(0)).getArgNumber();
  });
  return {error, first == 1 ? "y" : "x"};
}

TEST(Rewriting, ComesToAnEndOrSaysSo) {
  EXPECT_EQ(rewrite(/*isEndless=*/false),
            std::pair(std::string(), std::string("y")));
  EXPECT_EQ(rewrite(/*isEndless=*/true).first,
            "is rewritten without an end; this is a fault of smp");
}

} // namespace
