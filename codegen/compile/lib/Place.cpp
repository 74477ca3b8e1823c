// SPDX-License-Identifier: Apache-2.0
#include "Place.h"
#include "Reproducer.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Plan.h"
#include "smp/passes/Recompute.h"
#include <set>

using namespace mlir;

namespace smp::compile {

void buildLadder(PassManager &lowering, const CompileOptions &options) {
  // From here on the IR is ours: what fails is a bug.
  if (!options.reproducer.empty())
    leaveReproducer(lowering, options.reproducer);
  buildLoweringPipeline(lowering);
  passes::buildStagePipeline(lowering);
}

namespace {

class Placer {
public:
  Placer(ModuleOp module, const ir::WeightStore &weights,
         const CompileOptions &options, passes::PlacementOptions placing)
      : module(module), weights(weights), options(options),
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
  static LogicalResult place(ModuleOp target,
                             const passes::PlacementOptions &how) {
    PassManager passes(target.getContext());
    passes::buildPlacementPipeline(passes, how);
    return passes.run(target);
  }

  /// The bytes that each partition of a placed module needs in its program.
  FailureOr<SmallVector<int64_t>> plan(ModuleOp placed) const {
    PassManager lowering(placed.getContext());
    buildLadder(lowering, options);
    if (failed(lowering.run(placed)))
      return failure();
    auto memory = codegen::planMemory(placed, weights, options.exporting);
    if (failed(memory))
      return failure();
    SmallVector<int64_t> bytes;
    for (const PartitionMemory &partition : *memory)
      bytes.push_back(int64_t(partition.total()));
    return bytes;
  }

  FailureOr<unsigned> choose(ModuleOp placed) const {
    return passes::chooseRecompute(
        placed, placing.memoryLimit, placing.pipeline,
        [&](ModuleOp changed) { return plan(changed); });
  }

  bool isDecided() const {
    return placing.mode == passes::PartitionMode::Manual ||
           placing.loadPartition;
  }

  /// Placements to try. Counting nothing of what is kept gives the least time
  /// and the most to compute again; one stage per partition keeps least between
  /// stages. `margin` is the part of the limit that predictions may reach.
  std::vector<passes::PlacementOptions> candidates(double margin) const {
    std::vector<passes::PlacementOptions> list;
    constexpr double kAnyTime = 1e6;
    for (double worth : {placing.contiguousWorth, kAnyTime})
      for (double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
        list.push_back(placing);
        list.back().keptShare = share;
        list.back().contiguousWorth = worth;
        list.back().memoryLimit =
            std::max<int64_t>(1, int64_t(margin * double(placing.memoryLimit)));
      }
    return list;
  }

  /// The placement whose busiest partition has least to do once it fits; where
  /// none fits, the first, whose error says why.
  passes::PlacementOptions findBest() {
    passes::PlacementOptions best = candidates(1).front();
    if (isDecided())
      return best;
    // Trials say nothing; what is taken is done again.
    ScopedDiagnosticHandler silence(module.getContext(),
                                    [](Diagnostic &) { return success(); });
    std::optional<double> least;
    // Predictions may be too low.
    for (double margin : {1.0, 0.9, 0.8})
      for (const passes::PlacementOptions &how : candidates(margin)) {
        if (margin < 1 && least)
          break;
        std::optional<double> seconds = attempt(how);
        if (seconds && (!least || *seconds < *least)) {
          best = how;
          least = seconds;
        }
        if (least == 0.0)
          return best;
      }
    return best;
  }

  /// The seconds per microbatch that the busiest partition has to do, when the
  /// placement is new and can be made to fit; 0 when it is the first and fits
  /// as it is: no other is faster.
  std::optional<double> attempt(passes::PlacementOptions how) {
    OwningOpRef<ModuleOp> trial = module.clone();
    how.partitionFile.clear();
    const bool isFirst = seen.empty();
    if (failed(place(*trial, how)) || !seen.insert(partitions(*trial)).second)
      return std::nullopt;
    FailureOr<unsigned> chosen = choose(*trial);
    if (failed(chosen))
      return std::nullopt;
    if (*chosen == 0 && isFirst)
      return 0;
    passes::recompute(*trial);
    double seconds = 0;
    for (const passes::PartitionLoad &load :
         passes::predictLoads(*trial, placing.pipeline))
      seconds = std::max(seconds, load.seconds());
    return seconds;
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
  const CompileOptions &options;
  const passes::PlacementOptions placing;
  std::set<std::vector<int64_t>> seen; ///< Placements that were tried.
};

} // namespace

LogicalResult placeModule(ModuleOp module, const ir::WeightStore &weights,
                          const CompileOptions &options,
                          passes::PlacementOptions placing) {
  return Placer(module, weights, options, std::move(placing)).run();
}

} // namespace smp::compile
