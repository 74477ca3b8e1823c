// SPDX-License-Identifier: Apache-2.0
#include "Place.h"
#include "Reproducer.h"
#include "smp/ir/Placement.h"
#include "smp/passes/placement/ChooseRecompute.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/placement/Plan.h"
#include "smp/passes/training/Recompute.h"
#include <limits>
#include <map>

using namespace mlir;

namespace smp::compile {

void setUpLadder(PassManager &lowering, const CompileOptions &options) {
  // From here on the IR is ours: what fails is a bug.
  if (!options.reproducer.empty())
    leaveReproducer(lowering, options.reproducer);
  buildLadder(lowering);
}

namespace {

class Placer {
public:
  Placer(ModuleOp module, const ir::WeightStore &weights,
         const passes::CostModel &model, const CompileOptions &options,
         passes::PlacementOptions placing)
      : module(module), weights(weights), model(model), options(options),
        placing(std::move(placing)) {}

  LogicalResult run() {
    if (placing.memoryLimit <= 0)
      return place(module, placing);
    if (failed(place(module, findBest())) || failed(choose(module)))
      return failure();
    passes::recompute(module);
    return success();
  }

private:
  LogicalResult place(ModuleOp target,
                      const passes::PlacementOptions &how) const {
    PassManager passes(target.getContext());
    passes::buildPlacementPipeline(passes, how, model);
    return passes.run(target);
  }

  /// The bytes that each partition of a placed module needs in its program.
  FailureOr<SmallVector<int64_t>> plan(ModuleOp placed) const {
    PassManager lowering(placed.getContext());
    setUpLadder(lowering, options);
    if (failed(lowering.run(placed)))
      return failure();
    auto memory =
        codegen::planMemory(placed, weights, model, options.exporting);
    if (failed(memory))
      return failure();
    SmallVector<int64_t> bytes;
    for (const PartitionMemory &partition : *memory)
      bytes.push_back(int64_t(partition.total()));
    return bytes;
  }

  FailureOr<unsigned> choose(ModuleOp placed) const {
    return passes::chooseRecompute(
        placed, placing.memoryLimit, model, placing.pipeline,
        [&](ModuleOp changed) { return plan(changed); });
  }

  bool isDecided() const {
    return placing.mode == passes::PartitionMode::Manual ||
           placing.loadPartition;
  }

  /// Placements to try. Counting nothing of what is kept gives the least time
  /// and the most to compute again; one stage per partition keeps least between
  /// stages. `margin` is the part of the limit that predictions may reach.
  std::vector<passes::PlacementOptions> candidates(bool contiguous,
                                                   double margin) const {
    std::vector<passes::PlacementOptions> list;
    constexpr double kAnyTime = 1e6;
    SmallVector<double> worths{placing.contiguousWorth};
    if (contiguous)
      worths.push_back(kAnyTime);
    for (double worth : worths)
      for (double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        list.push_back(placing);
        list.back().contiguous = contiguous;
        list.back().stashShare = share;
        list.back().contiguousWorth = worth;
        list.back().memoryLimit =
            std::max<int64_t>(1, int64_t(margin * double(placing.memoryLimit)));
      }
    return list;
  }

  /// The placement whose busiest partition has least to do once it fits; where
  /// none fits, the first, whose error says why.
  passes::PlacementOptions findBest() {
    best = candidates(placing.contiguous, 1).front();
    if (isDecided())
      return best;
    // Trials say nothing; what is taken is done again.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    search(/*contiguous=*/true);
    if (!placing.contiguous)
      search(/*contiguous=*/false);
    return best;
  }

  /// One stage each is tried in any case, so that preferring it or not never
  /// makes the answer worse.
  void search(bool contiguous) {
    bool hasOne = false;
    // Predictions may be too low.
    for (double margin : {1.0, 0.9, 0.8}) {
      if (hasOne)
        return;
      for (const passes::PlacementOptions &how :
           candidates(contiguous, margin)) {
        const Trial trial = attempt(how);
        if (trial.seconds < least)
          best = how, least = trial.seconds;
        // Others are no faster.
        if (!hasOne && how.stashShare == 0 && trial.fitsAsIs)
          return;
        hasOne |= trial.seconds < kNever;
      }
    }
  }

  static constexpr double kNever = std::numeric_limits<double>::infinity();

  /// What became of a placement.
  struct Trial {
    /// The busiest partition's per microbatch, once it fits.
    double seconds = kNever;
    bool fitsAsIs = false; ///< With nothing computed again.
  };

  Trial attempt(passes::PlacementOptions how) {
    OwningOpRef<ModuleOp> trial = module.clone();
    how.partitionFile.clear();
    if (failed(place(*trial, how)))
      return {};
    auto [known, isNew] = trials.try_emplace(partitions(*trial));
    if (!isNew)
      return known->second;
    FailureOr<unsigned> chosen = choose(*trial);
    if (failed(chosen))
      return {};
    passes::recompute(*trial);
    double seconds = 0;
    for (const passes::PartitionLoad &load :
         passes::predictLoads(*trial, model, placing.pipeline))
      seconds = std::max(seconds, load.seconds());
    return known->second = {seconds, *chosen == 0};
  }

  static std::vector<int64_t> partitions(ModuleOp placed) {
    std::vector<int64_t> list;
    for (auto entry : placed.getOps<ir::EntryOp>())
      for (Operation &op : entry.getBody().front().without_terminator())
        list.push_back(ir::getPlacement(&op).getPartition());
    return list;
  }

  ModuleOp module;
  const ir::WeightStore &weights;
  const passes::CostModel &model;
  const CompileOptions &options;
  const passes::PlacementOptions placing;
  passes::PlacementOptions best;
  double least = kNever;                        ///< What the best takes.
  std::map<std::vector<int64_t>, Trial> trials; ///< By placement.
};

} // namespace

LogicalResult placeModule(ModuleOp module, const ir::WeightStore &weights,
                          const passes::CostModel &model,
                          const CompileOptions &options,
                          passes::PlacementOptions placing) {
  return Placer(module, weights, model, options, std::move(placing)).run();
}

} // namespace smp::compile
