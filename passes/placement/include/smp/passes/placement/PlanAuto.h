// SPDX-License-Identifier: Apache-2.0
// Joint planning: how many devices work, how many parts of the model each has,
// in which order training goes, what is computed again, and how many rows a
// microbatch has, decided together.

#ifndef SMP_PASSES_PLACEMENT_PLANAUTO_H
#define SMP_PASSES_PLACEMENT_PLANAUTO_H

#include "smp/passes/placement/PlaceWithinLimit.h"
#include <optional>
#include <string>
#include <vector>

namespace smp::passes {

/// A model, or what it is for one size of its microbatches.
struct ModelToPlan {
  mlir::ModuleOp module;
  const CostModel &costs;
  const ModuleLowering &lowering;
  /// Of a microbatch of the entries that count (EntryWeights.h); 0: the model
  /// is planned for no other size, and it is not asked.
  int64_t rows = 0;
};

/// One way to run a model, and what is predicted of it.
struct PlanCandidate {
  size_t model = 0;     ///< Which of the models it is of,
  int64_t rows = 0;     ///< and its `rows`.
  uint32_t devices = 1; ///< That have work.
  uint32_t parts = 1;   ///< Of the model, per device.
  /// `active` is a number, never 0; of an entry that is not trained nothing
  /// counts.
  PipelineChoice pipeline = {};
  /// What it is ranked by; nothing where it cannot be run. The time of a step
  /// where every entry that counts (EntryWeights.h) has a number of
  /// microbatches, else the time of the busiest device per microbatch or, where
  /// `rows` is a number, per row.
  std::optional<double> seconds = {};
  double idleShare = 0;  ///< Of the time of devices that have work, in a step.
  int64_t mostBytes = 0; ///< Of the device that needs most.
  unsigned recomputed = 0; ///< How many values are computed again.
  std::string lost = {};   ///< Why it was not taken; empty: it was.
};

/// All that was looked at, by time, then by memory, then by rows.
struct PlanChoices {
  std::vector<PlanCandidate> candidates;
  size_t taken = 0;       ///< Which of them.
  bool isOfSteps = false; ///< Whether times are those of steps.
  bool isTrained = false;
  uint32_t partitions = 1;     ///< Devices that there are,
  std::vector<uint32_t> empty; ///< and which of them have no work.
};

/// Decides how the model is run, and places every op that is an item, as
/// `solver`; what is left to be placed follows from that, and what is computed
/// again is chosen anew, by placeWithinLimit(). Pins are kept, or forgotten
/// where the request says so; the pipeline of the request is not looked at, and
/// its `planNumber` says which is taken.
/// The modules must have been accumulated and not divided
/// (smp-divide-backward): gradients of weights may become stages of their own.
///
/// Several models, one at least, are one for several sizes of its microbatches:
/// their plans are ranked together, so steps, where there are any, must be of
/// the same rows, and only the module of the plan that is taken is placed.
///
/// Cost: for each model two lowerings, one question to the solver for each
/// number of devices and of parts, and for each of these up to seven
/// evaluations, each as long as grouping the model's ops. Before a limit is
/// refused, as many as searchPlacements() makes. Deterministic. Fails where
/// pins contradict each other, and where nothing keeps the limit; an error has
/// been emitted.
mlir::FailureOr<PlanChoices>
planAutomatically(llvm::ArrayRef<ModelToPlan> models,
                  const PlacementRequest &request);

void printChoices(llvm::raw_ostream &os, const PlanChoices &choices);

} // namespace smp::passes

#endif // SMP_PASSES_PLACEMENT_PLANAUTO_H
