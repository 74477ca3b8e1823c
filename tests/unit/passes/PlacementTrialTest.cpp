// SPDX-License-Identifier: Apache-2.0
// What a trial changes in the question that a request puts to the solver.

#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "smp/ir/Target.h"
#include "smp/passes/placement/Passes.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace smp;
using namespace smp::passes;

namespace {

// Two results of 16 KiB are kept for backward ops, of each of 4 microbatches:
// 128 KiB, beside 16 KiB of a variable.
constexpr const char *kTrained = R"(
module attributes {smp.partitions = 1 : i64} {
smp.variable @w parameter : tensor<64x64xf32> = #smp.splat<0.0>
smp.entry @train(%x: tensor<64x64xf32> {smp.name = "x"}) -> (tensor<64x64xf32> {smp.name = "y"})
    attributes {smp.microbatches = 4 : i64} {
  %w = smp.read @w : tensor<64x64xf32>
  %0 = smp.add %x, %w : tensor<64x64xf32>
  %1 = smp.exp %0 : tensor<64x64xf32>
  %2 = smp.mul %0, %1 {smp.unit = #smp.unit<backward_input>} : tensor<64x64xf32>
  smp.return %2 : tensor<64x64xf32>
}
})";

class Trial : public testing::Test {
protected:
  Trial() { context.loadDialect<ir::SmpDialect>(); }

  /// Whether the solver finds room under the limit.
  bool fits(int64_t limit, const PlacementTrial &trial) {
    ScopedDiagnosticHandler silence(&context,
                                    [](Diagnostic &) { return success(); });
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(kTrained, &context);
    PlacementRequest request;
    request.memoryLimit = limit;
    request.pipeline.kind = PipelineKind::Simple;
    const RooflineModel model(ir::targetOf(*module, 0));
    PassManager passes(&context);
    buildPlacementPipeline(passes, request, model, trial);
    return succeeded(passes.run(*module));
  }

  /// The least limit, in KiB, under which the trial fits.
  int64_t least(const PlacementTrial &trial) {
    int64_t kib = 1;
    while (kib < 1024 && !fits(kib << 10, trial))
      ++kib;
    return kib;
  }

  MLIRContext context;
};

TEST_F(Trial, CountsAShareOfTheStash) {
  const int64_t all = least({.stashShare = 1});
  EXPECT_EQ(least({.stashShare = 0.5}), all - 64);
  EXPECT_EQ(least({.stashShare = 0}), all - 128);
}

TEST_F(Trial, StaysBelowTheLimitByAMargin) {
  const int64_t all = least({.stashShare = 1});
  const int64_t half = least({.stashShare = 1, .margin = 0.5});
  EXPECT_TRUE(half == 2 * all || half == 2 * all - 1) << half << " " << all;
}

} // namespace
