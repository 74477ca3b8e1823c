// SPDX-License-Identifier: Apache-2.0
// Ops may follow the pin of their name, but one must keep it.
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Placement.h"
#include "smp/passes/NameKeeper.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;

namespace {

/// Says of the first `count` ops that have a pin that it was propagated.
struct ForgetUser : PassWrapper<ForgetUser, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ForgetUser)
  explicit ForgetUser(int count) : count(count) {}
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (ir::PlacementAttr pin = ir::getPlacement(op); pin && count-- > 0)
        ir::setPlacement(op, pin.getPartition(), ir::Origin::Propagated);
    });
  }
  int count;
};

/// What the guard says after the pass; empty when it is content.
std::string guarded(int count) {
  MLIRContext context;
  context.loadDialect<ir::SmpDialect>();
  std::string error;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    error += diagnostic.str();
    return success();
  });
  auto module = parseSourceString<ModuleOp>(
      R"(smp.entry @f(%x: tensor<4xf32> {smp.name = "x"}) -> (tensor<4xf32> {smp.name = "y"}) {
  %a = smp.exp %x {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  %b = smp.neg %a {smp.placement = #smp.placement<1, user>} : tensor<4xf32> loc("a")
  smp.return %b : tensor<4xf32>
})",
      &context);
  EXPECT_TRUE(module) << error;
  PassManager manager(&context);
  manager.addInstrumentation(passes::createNameGuard());
  manager.addPass(std::make_unique<ForgetUser>(count));
  EXPECT_EQ(succeeded(manager.run(*module)), error.empty());
  return error;
}

TEST(NameGuard, OneOpOfANameKeepsItsPin) {
  EXPECT_EQ(guarded(0), "");
  EXPECT_EQ(guarded(1), "");
  EXPECT_EQ(guarded(2), "the pass lost the pin of 'a'");
}

} // namespace
