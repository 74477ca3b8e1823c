// SPDX-License-Identifier: Apache-2.0
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;

namespace smp::passes {

/// Without a model costs are those of the module's target.
static void build(OpPassManager &manager, const PlacementOptions &options,
                  const CostModel *model, const PlacementTrial &trial) {
  PartitionPassOptions partition;
  partition.mode = options.mode;
  partition.defaultPartition = options.defaultPartition;
  partition.memoryLimit = options.memoryLimit;
  if (options.memoryLimit > 0)
    partition.memoryLimit = std::max<int64_t>(
        1, int64_t(trial.margin * double(options.memoryLimit)));
  partition.memoryWeight = options.memoryWeight;
  partition.contiguous = trial.contiguous;
  partition.contiguousWorth = trial.contiguousWorth;
  partition.partitionFile = options.partitionFile;
  partition.loadPartition = options.loadPartition;
  partition.pipeline = options.pipeline.kind;
  partition.activeMicrobatches = options.pipeline.active;
  partition.stashShare = trial.stashShare;
  bool ignoresPins = options.mode == PartitionMode::IgnoreAnnotations;
  CheckAnnotationsPassOptions check;
  check.numPartitions = options.partitions;
  check.ignorePins = ignoresPins;
  manager.addPass(createCheckAnnotationsPass(check));
  if (!ignoresPins)
    manager.addPass(createPropagatePlacementPass());
  manager.addPass(model ? createPartitionPass(partition, *model)
                        : createPartitionPass(partition));
  manager.addPass(createVerifyPlacementPass());
}

void buildPlacementPipeline(OpPassManager &manager,
                            const PlacementOptions &options,
                            const CostModel &model) {
  build(manager, options, &model, {.contiguous = options.contiguous});
}

void buildPlacementPipeline(OpPassManager &manager,
                            const PlacementOptions &options,
                            const CostModel &model,
                            const PlacementTrial &trial) {
  build(manager, options, &model, trial);
}

namespace {

/// PlacementOptions on a command line.
struct PlacementFlags : PassPipelineOptions<PlacementFlags> {
  Option<int64_t> partitions{
      *this, "partitions",
      llvm::cl::desc("The number of partitions; 0: the module's"),
      llvm::cl::init(0)};
  Option<PartitionMode> mode{
      *this, "mode", llvm::cl::desc("What decides where ops go"),
      llvm::cl::init(PartitionMode::Auto),
      llvm::cl::values(clEnumValN(PartitionMode::Manual, "manual",
                                  "annotations and the default partition"),
                       clEnumValN(PartitionMode::Auto, "auto",
                                  "annotations, then the solver"),
                       clEnumValN(PartitionMode::IgnoreAnnotations,
                                  "ignore-annotations", "the solver alone"))};
  Option<int64_t> defaultPartition{
      *this, "default-partition",
      llvm::cl::desc("Where ops without annotation go in mode manual"),
      llvm::cl::init(0)};
  Option<bool> contiguous{
      *this, "contiguous",
      llvm::cl::desc("Prefer partitions that need one stage each"),
      llvm::cl::init(true)};
  Option<int64_t> memoryLimit{
      *this, "memory-limit",
      llvm::cl::desc("Bytes that each partition may need; 0: any number"),
      llvm::cl::init(0)};
};

void buildFromFlags(OpPassManager &manager, const PlacementFlags &flags) {
  PlacementOptions options;
  options.partitions = flags.partitions;
  options.mode = flags.mode;
  options.defaultPartition = flags.defaultPartition;
  options.memoryLimit = flags.memoryLimit;
  options.contiguous = flags.contiguous;
  build(manager, options, nullptr, {.contiguous = options.contiguous});
}

} // namespace

void registerPlacementPipeline() {
  PassPipelineRegistration<PlacementFlags>(
      "smp-place", "Check pins, propagate them, place the rest, verify.",
      buildFromFlags);
}

} // namespace smp::passes
