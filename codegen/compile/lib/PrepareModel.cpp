// SPDX-License-Identifier: Apache-2.0
#include "PrepareModel.h"
#include "ChooseCosts.h"
#include "mlir/Pass/PassManager.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/ir/Training.h"
#include "smp/model/Config.h"
#include "smp/passes/BatchRows.h"
#include "smp/passes/EntryWeights.h"
#include "smp/passes/catalog/AllPasses.h"
#include "smp/passes/pipeline/Joins.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/ModelSeconds.h"

using namespace mlir;

namespace smp::compile {

/// Decides how microbatches become outputs, on the model as it was written.
static LogicalResult inferJoins(ModuleOp module, int64_t microbatches) {
  PassManager joining(module.getContext());
  joining.addPass(passes::createInferJoinsPass({.microbatches = microbatches}));
  return joining.run(module);
}

static void setMicrobatches(ModuleOp module, int64_t count) {
  for (auto entry : module.getOps<ir::EntryOp>())
    entry->setAttr(ir::kMicrobatchesAttr,
                   Builder(entry).getI64IntegerAttr(count));
}

/// How many microbatches a step of so many rows has.
static FailureOr<int64_t> microbatchesOf(ModuleOp module, int64_t rows) {
  FailureOr<int64_t> each = passes::rowsOfMicrobatch(module);
  if (failed(each))
    return failure();
  if (*each < 1 || rows % *each != 0)
    return module.emitError()
           << "a step of " << rows << " rows is no whole number of "
           << "microbatches of " << *each << "; choose a number of rows that "
           << *each << " divides, or another size of microbatches";
  if (rows / *each > kMostMicrobatches)
    return module.emitError()
           << "a step of " << rows << " rows has " << rows / *each
           << " microbatches of " << *each << "; " << kMostMicrobatches
           << " is the most that there can be: choose fewer rows, or larger "
              "microbatches";
  return rows / *each;
}

static LogicalResult train(ModuleOp module, const CompileOptions &options) {
  PassManager training(module.getContext());
  training.addPass(passes::createLowerPrecisionPass());
  training.addPass(
      passes::createDifferentiatePass({.allowUnused = options.allowUnused}));
  training.addPass(passes::createOptimizePass());
  training.addPass(passes::createAccumulatePass());
  if (!options.plansAll && dividesBackward(options.exporting.pipeline))
    training.addPass(passes::createDivideBackwardPass());
  training.addPass(passes::createRecomputePass());
  training.addPass(passes::createCanonicalizePass());
  return training.run(module);
}

/// So that placement counts ops as parts of their kernels.
static LogicalResult assignKernelSeconds(ModuleOp module,
                                         const passes::CostModel &model) {
  OwningOpRef<ModuleOp> copy = passes::numberedCopy(module);
  if (failed(lowerNumberedCopy(*copy)))
    return failure();
  return passes::assignSeconds(module, std::move(copy), model);
}

/// That a microbatch has as many rows as is said.
static LogicalResult checkRows(ModuleOp module, int64_t said) {
  FailureOr<int64_t> rows = passes::rowsOfMicrobatch(module);
  if (failed(rows))
    return failure();
  if (*rows != said)
    return module.emitError()
           << "a model for microbatches of " << said << " rows has " << *rows
           << " in each; sizes are chosen of what rows are along";
  return success();
}

/// That a number of rows says something.
static LogicalResult checkTrained(ModuleOp module, int64_t rows) {
  if (llvm::any_of(module.getOps<ir::EntryOp>(), passes::isTrained))
    return success();
  return module.emitError()
         << "a step of training has " << rows
         << " rows, it is said, but nothing is trained: leave that out, or say "
            "what is (--train)";
}

FailureOr<PreparedModel> prepareModel(const SizedModel &given,
                                      const CompileOptions &options) {
  ModuleOp module = given.module;
  PreparedModel prepared{module, &given.weights, nullptr, given.rows};
  // Kernels are compiled side by side: their dialects must be there before.
  module.getContext()->loadAllAvailableDialects();
  if (failed(sayWeights(module, options.placement.weights)))
    return failure();
  int64_t microbatches = options.microbatches;
  if (options.rows > 0) {
    FailureOr<int64_t> count = microbatchesOf(module, options.rows);
    if (failed(count))
      return failure();
    microbatches = *count;
  }
  // Sizes are compared by what each row takes: outputs of several are joined.
  const int64_t joined =
      std::max<int64_t>(microbatches, given.rows > 0 ? 2 : 1);
  if (failed(inferJoins(module, joined)))
    return failure();
  if (microbatches)
    setMicrobatches(module, microbatches);
  if (failed(train(module, options)) ||
      (options.rows > 0 && failed(checkTrained(module, options.rows))) ||
      (given.rows > 0 && failed(checkRows(module, given.rows))) ||
      failed(codegen::chooseTargets(module, options.targets,
                                    options.exporting.levels)))
    return failure();
  auto costs = makeCostModel(module, options.costs);
  if (failed(costs) ||
      (options.costs && failed(assignKernelSeconds(module, **costs))))
    return failure();
  prepared.costs = std::move(*costs);
  return prepared;
}

} // namespace smp::compile
