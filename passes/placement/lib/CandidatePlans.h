// SPDX-License-Identifier: Apache-2.0
// The plans of one model among which joint planning chooses.

#ifndef SMP_PASSES_PLACEMENT_LIB_CANDIDATEPLANS_H
#define SMP_PASSES_PLACEMENT_LIB_CANDIDATEPLANS_H

#include "BuildProblem.h"
#include "PartsOfDevices.h"
#include "smp/passes/placement/LoweredModel.h"
#include "smp/passes/placement/PlanAuto.h"
#include "smp/passes/planning/PlacementSearch.h"
#include <map>
#include <set>

namespace smp::passes {

/// Tries the plans of a model, and places it by one of them.
class CandidatePlans {
public:
  struct Tried {
    PlanCandidate candidate;
    std::vector<uint32_t> deviceOf; ///< By item of the question.
  };

  /// `request` must live as long as the result.
  CandidatePlans(const ModelToPlan &model, const PlacementRequest &request)
      : model(model), request(request) {}

  /// Tries all plans; where none can be run, those too that divide kernels.
  /// Checks, propagates or forgets the module's pins. Fails, with an error
  /// emitted, where these contradict each other.
  mlir::LogicalResult tryAll();
  /// Where nothing that the solver proposes keeps the limit, or it believes
  /// that nothing does: tries the best of all placements, with few microbatches
  /// under way.
  mlir::LogicalResult lookFurther();

  llvm::ArrayRef<Tried> all() const { return tried; }
  size_t numRunnable() const;
  bool hasTraining() const { return trains; }
  /// Whether entries that count have a number of microbatches, and seconds are
  /// those of a step.
  bool isOfSteps() const { return hasSteps; }
  uint32_t partitions() const { return numPartitions; }
  /// Which pins are to blame where that is nothing; empty: none that are known.
  const std::string &blamedPins() const { return blamed; }
  /// What lookFurther() has found, where it has looked.
  const std::optional<PlacementFound> &furtherFound() const { return looked; }

  /// Places the items of the module as the plan says, and notes what the answer
  /// is to, if a placement file is asked for.
  void take(const Tried &plan);

private:
  mlir::LogicalResult preparePins();
  mlir::LogicalResult prepareModel();
  void ask(bool keepsKernels);

  std::vector<PipelineChoice> pipelinesFor(uint32_t devices, uint32_t parts,
                                           PartOrder order) const;
  std::pair<uint32_t, uint32_t> fewestAndMost() const;
  uint32_t numItems() const { return uint32_t(question.ops.size()); }
  bool makesSense(uint32_t devices, uint32_t parts, PartOrder order) const;
  mlir::LogicalResult tryPlacements();
  mlir::LogicalResult tryPlacement(uint32_t devices, uint32_t parts,
                                   PartOrder order);
  mlir::LogicalResult tryDevices(const std::vector<uint32_t> &deviceOf,
                                 uint32_t devices, uint32_t parts,
                                 PartOrder order);
  /// How many devices have work.
  static uint32_t numDevices(const std::vector<uint32_t> &deviceOf);
  /// Of placements that `place` turns into modules.
  template <typename Place>
  PlacementJudge judge(const PipelineChoice &pipeline, Place place);
  mlir::OwningOpRef<mlir::ModuleOp>
  placedBy(const std::vector<uint32_t> &deviceOf);
  void place(mlir::ModuleOp target, const std::vector<uint32_t> &deviceOf);

  mlir::FailureOr<std::optional<PlanFigures>>
  figuresOf(mlir::ModuleOp placed, const PipelineChoice &pipeline);
  mlir::LogicalResult evaluate(PlanCandidate candidate, mlir::ModuleOp placed,
                               const std::vector<uint32_t> &deviceOf);
  std::optional<PlanFigures> computeAgain(PlanCandidate &candidate,
                                          mlir::ModuleOp placed);
  void rank(PlanCandidate &candidate, const PlanFigures &figures) const;
  void forgetLowered();
  void noteQuestion(const PipelineChoice &pipeline);

  ModelToPlan model;
  const PlacementRequest &request;
  ModuleProblem question{PartitionProblem(1), {}};
  bool trains = false, hasSteps = true;
  uint32_t numPartitions = 1, microbatches = 1;
  mlir::OwningOpRef<mlir::ModuleOp> lowered[2]; ///< Undivided, and divided.
  std::map<std::pair<PipelineKind, uint32_t>, std::unique_ptr<ModelPlans>>
      plans;
  std::set<std::vector<uint32_t>> seen;
  std::vector<Tried> tried;
  std::optional<PlacementFound> looked;
  std::string blamed;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_LIB_CANDIDATEPLANS_H
