// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/EqualOps.h"
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
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      mergeEqualOps(function, keeper);
    keeper.finish(getOperation());
  }
};

} // namespace
} // namespace smp::passes
