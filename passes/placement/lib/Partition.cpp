// SPDX-License-Identifier: Apache-2.0
#include "BuildProblem.h"
#include "PartitionFile.h"
#include "smp/ir/Target.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/planning/PartitionSolver.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_PARTITIONPASS
#include "smp/passes/placement/Passes.h.inc"

namespace {

/// Places the ops of one module.
class Partitioner {
public:
  Partitioner(ModuleOp module, const PlacementRequest &request,
              const PlacementTrial &trial, const CostModel &model)
      : module(module), request(request), trial(trial), model(model) {}

  LogicalResult run() {
    if (failed(check()))
      return failure();
    if (request.mode == PartitionMode::IgnoreAnnotations)
      forgetPins();
    if (request.loadPartition) {
      if (failed(readPartitionFile(module, request.partitionFile)))
        return failure();
    } else if (request.mode != PartitionMode::Manual && failed(solve())) {
      return failure();
    }
    placeTheRest();
    if (!request.loadPartition && !request.partitionFile.empty())
      return writePartitionFile(module, request.partitionFile);
    return success();
  }

private:
  LogicalResult check() {
    const int64_t partitions = getNumPartitions(module);
    if (request.defaultPartition < 0 || request.defaultPartition >= partitions)
      return module.emitError()
             << "default-partition is " << request.defaultPartition
             << ", but there are " << partitions << " partitions (0.."
             << partitions - 1 << ")";
    if (request.memoryWeight < 0 || request.memoryWeight > 1)
      return module.emitError() << "memory-weight is " << request.memoryWeight
                                << "; it must be between 0.0 and 1.0";
    if (request.loadPartition && request.partitionFile.empty())
      return module.emitError() << "load-partition needs a partition-file";
    return success();
  }

  void forgetPins() {
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : entry.getBody().front())
        if (PlacementAttr placement = getPlacement(&op);
            placement && !placement.isAll())
          op.removeAttr(kPlacementAttr);
  }

  LogicalResult solve() {
    // Kernels are kept whole unless pins or the limit forbid that.
    ModuleProblem question = ask(/*keepsKernels=*/true);
    PartitionResult result = solvePartition(question.problem);
    if (std::holds_alternative<PartitionConflict>(result)) {
      question = ask(/*keepsKernels=*/false);
      const Measure measure = [&](const std::vector<uint32_t> &partitionOf) {
        return joinedObjective(question, partitionOf);
      };
      result = solvePartition(question.problem, {.measure = measure});
    }
    if (auto *conflict = std::get_if<PartitionConflict>(&result)) {
      emitConflict(module, question, *conflict);
      return failure();
    }
    const auto &answer = std::get<PartitionAnswer>(result);
    if (std::optional<std::string> fault =
            question.problem.verifyPlacement(answer.partitionOf))
      return module.emitError() << "the partitioner is wrong: " << *fault;
    place(question, answer.partitionOf);
    return success();
  }

  /// Returns the ops that it has placed: those that had no placement.
  SmallVector<Operation *> place(const ModuleProblem &question,
                                 ArrayRef<uint32_t> partitionOf) {
    SmallVector<Operation *> placed;
    for (auto [ops, partition] : llvm::zip(question.ops, partitionOf))
      for (Operation *op : ops)
        if (!getPlacement(op)) {
          setPlacement(op, partition, Origin::Solver);
          placed.push_back(op);
        }
    return placed;
  }

  /// The objective of an answer for divided kernels: parts of a kernel that
  /// share a partition are one kernel again, and cost less than one by one.
  double joinedObjective(const ModuleProblem &divided,
                         ArrayRef<uint32_t> partitionOf) {
    const SmallVector<Operation *> placed = place(divided, partitionOf);
    const ModuleProblem joined = ask(/*keepsKernels=*/true);
    for (Operation *op : placed)
      op->removeAttr(kPlacementAttr);
    return joined.problem.objective(joined.pinnedPartitions());
  }

  ModuleProblem ask(bool keepsKernels) const {
    ModuleProblem question = buildProblem(module, model,
                                          {.keepsKernels = keepsKernels,
                                           .pipeline = request.pipeline,
                                           .stashShare = trial.stashShare});
    question.problem.setMemoryWeight(request.memoryWeight);
    if (trial.contiguous)
      question.problem.preferContiguous(trial.contiguousWorth);
    if (request.memoryLimit > 0)
      question.problem.setMemoryLimit(std::max<int64_t>(
          1, int64_t(trial.margin * double(request.memoryLimit))));
    return question;
  }

  /// In manual mode everything without a pin, else only copied constants: these
  /// go where they are first used.
  void placeTheRest() {
    for (auto entry : module.getOps<EntryOp>())
      for (Operation &op : llvm::reverse(entry.getBody().front()))
        if (!getPlacement(&op) && !isa<ReturnOp>(op))
          setPlacement(&op, restPartition(&op), Origin::Propagated);
  }

  int64_t restPartition(Operation *op) const {
    if (request.mode == PartitionMode::Manual)
      return request.defaultPartition;
    Operation *first = nullptr;
    for (Operation *user : op->getUsers())
      if (PlacementAttr placement = getPlacement(user);
          placement && !placement.isAll() &&
          (!first || user->isBeforeInBlock(first)))
        first = user;
    return first ? getPlacement(first).getPartition() : 0;
  }

  ModuleOp module;
  const PlacementRequest &request;
  const PlacementTrial &trial;
  const CostModel &model;
};

struct Partition : impl::PartitionPassBase<Partition> {
  using PartitionPassBase::PartitionPassBase;
  Partition(const PlacementRequest &request, const PlacementTrial &trial,
            const CostModel &model)
      : given(Given{request, trial, model}) {}

  void runOnOperation() override {
    if (failed(given ? run(given->request, given->trial, given->model)
                     : runByOptions()))
      signalPassFailure();
  }

private:
  struct Given {
    PlacementRequest request;
    PlacementTrial trial;
    const CostModel &model;
  };

  LogicalResult run(const PlacementRequest &request,
                    const PlacementTrial &trial, const CostModel &model) {
    return Partitioner(getOperation(), request, trial, model).run();
  }

  /// Costs are those of the module's target.
  LogicalResult runByOptions() {
    const PlacementRequest request{.mode = mode,
                                   .defaultPartition = defaultPartition,
                                   .memoryLimit = memoryLimit,
                                   .memoryWeight = memoryWeight,
                                   .contiguous = contiguous,
                                   .partitionFile = partitionFile,
                                   .loadPartition = loadPartition,
                                   .pipeline = {pipeline, activeMicrobatches}};
    return run(request, {.contiguous = contiguous},
               RooflineModel(targetOf(getOperation(), 0)));
  }

  std::optional<Given> given; ///< Nothing when made by name.
};

} // namespace

std::unique_ptr<Pass> createPartitionPass(const PlacementRequest &request,
                                          const PlacementTrial &trial,
                                          const CostModel &model) {
  return std::make_unique<Partition>(request, trial, model);
}

} // namespace smp::passes
