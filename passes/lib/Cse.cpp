// SPDX-License-Identifier: Apache-2.0
#include "mlir/Transforms/CSE.h"
#include "mlir/IR/Dominance.h"
#include "smp/passes/NameKeeper.h"
#include "smp/passes/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_CSEPASS
#include "smp/passes/Passes.h.inc"

namespace {

struct Cse : impl::CsePassBase<Cse> {
  void runOnOperation() override {
    NameKeeper keeper;
    IRRewriter rewriter(&getContext(), &keeper);
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      DominanceInfo dominance(function);
      eliminateCommonSubExpressions(rewriter, dominance, function);
    }
    keeper.finish(getOperation());
  }
};

} // namespace
} // namespace smp::passes
