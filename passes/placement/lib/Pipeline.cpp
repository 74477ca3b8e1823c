// SPDX-License-Identifier: Apache-2.0
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;

namespace smp::passes {

/// `partition` is the pass that places what is not placed by then.
static void build(OpPassManager &manager, const PlacementRequest &request,
                  std::unique_ptr<Pass> partition) {
  const bool ignoresPins = request.mode == PartitionMode::IgnoreAnnotations;
  CheckAnnotationsPassOptions check;
  check.numPartitions = request.partitions;
  check.ignorePins = ignoresPins;
  manager.addPass(createCheckAnnotationsPass(check));
  if (!ignoresPins)
    manager.addPass(createPropagatePlacementPass());
  manager.addPass(std::move(partition));
  manager.addPass(createVerifyPlacementPass());
}

void buildPlacementPipeline(OpPassManager &manager,
                            const PlacementRequest &request,
                            const CostModel &model) {
  buildPlacementPipeline(manager, request, model,
                         {.contiguous = request.contiguous});
}

void buildPlacementPipeline(OpPassManager &manager,
                            const PlacementRequest &request,
                            const CostModel &model,
                            const PlacementTrial &trial) {
  build(manager, request, createPartitionPass(request, trial, model));
}

namespace {

/// A request on a command line.
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
  PartitionPassOptions partition;
  partition.mode = flags.mode;
  partition.defaultPartition = flags.defaultPartition;
  partition.memoryLimit = flags.memoryLimit;
  partition.contiguous = flags.contiguous;
  PlacementRequest request{.partitions = flags.partitions, .mode = flags.mode};
  build(manager, request, createPartitionPass(partition));
}

} // namespace

void registerPlacementPipeline() {
  PassPipelineRegistration<PlacementFlags>(
      "smp-place", "Check pins, propagate them, place the rest, verify.",
      buildFromFlags);
}

} // namespace smp::passes
