// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Rewriting.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;

namespace smp::passes {

/// More than any op was seen to need by two orders of magnitude.
static constexpr int64_t kMostRewritesPerOp = 1000;

LogicalResult rewriteGreedily(ModuleOp module, RewritePatternSet patterns,
                              RewriterBase::Listener *listener) {
  int64_t ops = 0;
  module.walk([&](Operation *) { ++ops; });
  GreedyRewriteConfig config;
  config.enableFolding(true).enableConstantCSE(false).setListener(listener);
  config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  config.setMaxNumRewrites(kMostRewritesPerOp * ops);
  if (succeeded(applyPatternsGreedily(module, std::move(patterns), config)))
    return success();
  return module.emitError()
         << "is rewritten without an end; this is a fault of smp";
}

} // namespace smp::passes
