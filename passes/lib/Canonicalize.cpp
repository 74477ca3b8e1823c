// SPDX-License-Identifier: Apache-2.0
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "smp/passes/NameKeeper.h"
#include "smp/passes/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_CANONICALIZEPASS
#include "smp/passes/Passes.h.inc"

namespace {

struct Canonicalize : impl::CanonicalizePassBase<Canonicalize> {
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    for (RegisteredOperationName op : context->getRegisteredOperationsByDialect(
             SmpDialect::getDialectNamespace()))
      op.getCanonicalizationPatterns(patterns, context);
    NameKeeper keeper;
    GreedyRewriteConfig config;
    config.setListener(&keeper);
    // Merging equal constants would forget whose they are; smp-cse does it.
    config.enableConstantCSE(false);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                     config))) {
      getOperation().emitError("canonicalisation does not come to an end");
      signalPassFailure();
    }
    keeper.finish(getOperation());
  }
};

} // namespace
} // namespace smp::passes
