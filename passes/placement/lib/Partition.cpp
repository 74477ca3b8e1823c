// SPDX-License-Identifier: Apache-2.0
#include "AskProblem.h"
#include "FollowFile.h"
#include "PlaceItems.h"
#include "ProblemDigest.h"
#include "smp/base/AtomicFile.h"
#include "smp/ir/Target.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/placement/PlacementText.h"
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
      forgetPins(module);
    const bool hasFile =
        !request.loadPlacement.empty() || !request.savePlacement.empty();
    // Where the plan is joint it has been noted before.
    if (hasFile && !module->hasAttr(kProblemAttr))
      module->setAttr(kProblemAttr,
                      StringAttr::get(module.getContext(), digestOfQuestion()));
    if (failed(request.loadPlacement.empty() ? decide() : follow()))
      return failure();
    // Of all but copied constants, where nobody solves.
    placeTheRest(module, request.mode == PartitionMode::Manual
                             ? std::optional(request.defaultPartition)
                             : std::nullopt);
    if (request.savePlacement.empty())
      module->removeAttr(kProblemAttr);
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
    return success();
  }

  std::string digestOfQuestion() const {
    return digestOf(buildProblem(module, model, {.pipeline = request.pipeline}),
                    request);
  }

  LogicalResult decide(const FollowedFile *file = nullptr) {
    if (request.mode == PartitionMode::Manual)
      return success();
    return trial.partitionOf.empty() ? solve(file) : takeFound();
  }

  LogicalResult takeFound() {
    place(ask(/*keepsKernels=*/false), trial.partitionOf);
    return success();
  }

  /// As the placement file has it, where it answers the question and nobody
  /// edited it. By hand, what has no line goes to the default partition.
  LogicalResult follow() {
    const auto problem = module->getAttrOfType<StringAttr>(kProblemAttr);
    FailureOr<FollowedFile> file =
        FollowedFile::open(module, request.loadPlacement);
    if (failed(file) || failed(file->pinEdited()))
      return failure();
    propagatePlacement(module);
    if (request.mode == PartitionMode::Manual)
      file->place(Origin::Propagated);
    else if (!file->hasEdited() && file->answers(problem.getValue()))
      file->place(Origin::Solver);
    else
      return decide(&*file);
    return success();
  }

  LogicalResult solve(const FollowedFile *file) {
    // Kernels are kept whole unless pins or the limit forbid that.
    ModuleProblem question = ask(/*keepsKernels=*/true);
    auto start = [&] {
      return file ? file->startFor(question) : std::vector<uint32_t>();
    };
    PartitionResult result =
        solvePartition(question.problem, {.start = start()});
    if (std::holds_alternative<PartitionConflict>(result)) {
      question = ask(/*keepsKernels=*/false);
      const Measure measure = [&](const std::vector<uint32_t> &partitionOf) {
        return joinedObjective(question, partitionOf);
      };
      result = solvePartition(question.problem,
                              {.measure = measure, .start = start()});
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
    return askProblem(module, model, request, trial, keepsKernels);
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
                                   .loadPlacement = loadPlacement,
                                   .savePlacement = savePlacement,
                                   .pipeline = {pipeline, activeMicrobatches}};
    if (failed(run(request, {.contiguous = contiguous},
                   RooflineModel(targetOf(getOperation(), 0)))))
      return failure();
    if (savePlacement.empty())
      return success();
    const Status written =
        writeFile(savePlacement, takePlacementText(getOperation()));
    if (written.ok())
      return success();
    return getOperation().emitError()
           << "placement file: " << written.message();
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
