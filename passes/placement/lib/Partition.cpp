// SPDX-License-Identifier: Apache-2.0
#include "BuildProblem.h"
#include "PartitionFile.h"
#include "smp/ir/Target.h"
#include "smp/passes/placement/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_PARTITIONPASS
#include "smp/passes/placement/Passes.h.inc"

namespace {

struct Partition : impl::PartitionPassBase<Partition> {
  using PartitionPassBase::PartitionPassBase;
  Partition(const PartitionPassOptions &options, const CostModel &model)
      : PartitionPassBase(options), model(&model) {}

  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module) {
    if (failed(checkOptions(module)))
      return failure();
    if (mode == PartitionMode::IgnoreAnnotations)
      forgetPins(module);
    if (loadPartition) {
      if (failed(readPartitionFile(module, partitionFile)))
        return failure();
    } else if (mode != PartitionMode::Manual && failed(solve(module))) {
      return failure();
    }
    placeTheRest(module);
    if (!loadPartition && !partitionFile.empty())
      return writePartitionFile(module, partitionFile);
    return success();
  }

  LogicalResult checkOptions(ModuleOp module) {
    int64_t partitions = getNumPartitions(module);
    if (defaultPartition < 0 || defaultPartition >= partitions)
      return module.emitError()
             << "default-partition is " << int64_t(defaultPartition)
             << ", but there are " << partitions << " partitions (0.."
             << partitions - 1 << ")";
    if (memoryWeight < 0 || memoryWeight > 1)
      return module.emitError() << "memory-weight is " << double(memoryWeight)
                                << "; it must be between 0.0 and 1.0";
    if (!(stashShare >= 0 && stashShare <= 1))
      return module.emitError() << "kept-share is " << double(stashShare)
                                << "; it must be between 0.0 and 1.0";
    if (!(contiguousWorth >= 1))
      return module.emitError()
             << "contiguous-worth is " << double(contiguousWorth)
             << "; it must be at least 1.0";
    if (loadPartition && partitionFile.empty())
      return module.emitError() << "load-partition needs a partition-file";
    return success();
  }

  void forgetPins(ModuleOp module) {
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : entry.getBody().front())
        if (PlacementAttr placement = getPlacement(&op);
            placement && !placement.isAll())
          op.removeAttr(kPlacementAttr);
  }

  LogicalResult solve(ModuleOp module) {
    // Kernels are kept whole unless pins or the limit forbid that.
    ModuleProblem question = ask(module, /*keepsKernels=*/true);
    PartitionResult result = solvePartition(question.problem);
    if (std::holds_alternative<PartitionConflict>(result)) {
      question = ask(module, /*keepsKernels=*/false);
      result = solvePartition(question.problem);
    }
    if (auto *conflict = std::get_if<PartitionConflict>(&result)) {
      emitConflict(module, question, *conflict);
      return failure();
    }
    const auto &answer = std::get<PartitionAnswer>(result);
    if (std::optional<std::string> fault = question.problem.verify(answer))
      return module.emitError() << "the partitioner is wrong: " << *fault;
    for (auto [ops, partition] : llvm::zip(question.ops, answer.partitionOf))
      for (Operation *op : ops)
        if (!getPlacement(op))
          setPlacement(op, partition, Origin::Solver);
    return success();
  }

  ModuleProblem ask(ModuleOp module, bool keepsKernels) {
    const RooflineModel usual(ir::targetOf(module, 0));
    ModuleProblem question =
        buildProblem(module, model ? *model : usual,
                     {.keepsKernels = keepsKernels,
                      .pipeline = {pipeline, activeMicrobatches},
                      .stashShare = stashShare});
    question.problem.setMemoryWeight(memoryWeight);
    if (contiguous)
      question.problem.preferContiguous(contiguousWorth);
    if (memoryLimit > 0)
      question.problem.setMemoryLimit(memoryLimit);
    return question;
  }

  /// In manual mode everything without a pin, else only copied constants: these
  /// go where they are first used.
  void placeTheRest(ModuleOp module) {
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : llvm::reverse(entry.getBody().front()))
        if (!getPlacement(&op) && !isa<ReturnOp>(op))
          setPlacement(&op, restPartition(&op), Origin::Propagated);
  }

  int64_t restPartition(Operation *op) {
    if (mode == PartitionMode::Manual)
      return defaultPartition;
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (PlacementAttr placement = getPlacement(user);
          placement && !placement.isAll() &&
          (!first || user->isBeforeInBlock(first)))
        first = user;
    return first ? getPlacement(first).getPartition() : 0;
  }

  const CostModel *model = nullptr; ///< Null when made by name.
};

} // namespace

std::unique_ptr<Pass> createPartitionPass(const PartitionPassOptions &options,
                                          const CostModel &model) {
  return std::make_unique<Partition>(options, model);
}

} // namespace smp::passes
