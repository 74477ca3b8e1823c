// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/NameKeeper.h"
#include "smp/passes/Passes.h"
#include "smp/passes/Rewriting.h"

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
    if (failed(rewriteGreedily(getOperation(), std::move(patterns), &keeper)))
      signalPassFailure();
    keeper.finish(getOperation());
  }
};

} // namespace
} // namespace smp::passes
