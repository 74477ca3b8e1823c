// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/ChooseRecompute.h"
#include "Footprint.h"
#include "PlanFormat.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Target.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/Passes.h"
#include "smp/passes/placement/Plan.h"
#include "smp/passes/training/Recompute.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_CHOOSERECOMPUTEPASS
#include "smp/passes/placement/Passes.h.inc"

namespace {

/// The picks of one partition.
class Choice {
public:
  Choice(std::vector<RecomputePick> ranking) : ranking(std::move(ranking)) {}

  bool isEmpty() const { return chosen == 0; }
  size_t size() const { return chosen; }
  /// Chooses more, until what is new should free as many bytes. Once there is
  /// no more, less by and by: copies may need more than they free. False when
  /// nothing is left to try.
  bool change(int64_t bytes) {
    goesBack |= chosen == ranking.size();
    if (goesBack) {
      constexpr size_t kTrials = 8;
      const size_t step = std::max<size_t>(ranking.size() / kTrials, 1);
      if (chosen <= step)
        return false;
      chosen -= step;
    }
    while (!goesBack && chosen < ranking.size() && bytes > 0)
      bytes -= ranking[chosen++].freedBytes;
    mark();
    return true;
  }

  void report(size_t partition) const {
    int64_t freed = 0;
    double seconds = 0;
    std::vector<const RecomputePick *> largest;
    for (const RecomputePick &pick : ArrayRef(ranking).take_front(chosen)) {
      freed += pick.freedBytes;
      seconds += pick.seconds;
      largest.push_back(&pick);
    }
    Operation *entry = ranking.front().value.getDefiningOp()->getParentOp();
    InFlightDiagnostic remark =
        entry->emitRemark()
        << "partition " << partition << " computes " << chosen << " of "
        << ranking.size() << " values again for its gradients: keeps " << freed
        << " bytes less for " << milliseconds(seconds) << " per microbatch";
    llvm::stable_sort(largest, [](auto *a, auto *b) {
      return a->freedBytes > b->freedBytes;
    });
    constexpr size_t kMostNotes = 8;
    for (const RecomputePick *pick : ArrayRef(largest).take_front(kMostNotes))
      remark.attachNote(pick->value.getLoc())
          << describe(pick->value.getDefiningOp()) << ": " << pick->freedBytes
          << " bytes less for " << milliseconds(pick->seconds);
  }

private:
  void mark() {
    for (const RecomputePick &pick : ranking)
      for (Operation *op : pick.ops)
        op->removeAttr(kRecomputeAttr);
    for (const RecomputePick &pick : ArrayRef(ranking).take_front(chosen))
      for (Operation *op : pick.ops)
        op->setAttr(kRecomputeAttr, mlir::UnitAttr::get(op->getContext()));
  }

  std::vector<RecomputePick> ranking;
  size_t chosen = 0;
  bool goesBack = false;
};

LogicalResult explain(ModuleOp module, size_t partition, int64_t needed,
                      int64_t least, int64_t limit) {
  Operation *where = module;
  for (auto entry : module.getOps<EntryOp>())
    if (where == module && !stashedValues(entry).empty())
      where = entry;
  bool isTrained = where != module;
  InFlightDiagnostic error = where->emitError()
                             << "partition " << partition << " needs " << needed
                             << " bytes";
  if (isTrained)
    error << ", and " << least
          << " at the least where activations are computed again";
  error << "; the memory limit is " << limit
        << " bytes per partition: raise it, use more partitions"
        << (isTrained ? ", or make microbatches smaller or fewer at a time"
                      : "");
  return error;
}

} // namespace

FailureOr<unsigned> chooseRecompute(ModuleOp module,
                                    const PlacementRequest &request,
                                    const CostModel &model,
                                    const MemoryOracle &oracle) {
  const int64_t limit = request.memoryLimit;
  FailureOr<SmallVector<int64_t>> bytes = oracle(module);
  if (failed(bytes))
    return failure();
  auto isOver = [&](int64_t needed) { return needed > limit; };
  if (llvm::none_of(*bytes, isOver))
    return 0u;
  const SmallVector<int64_t> atFirst = *bytes;
  SmallVector<int64_t> least = *bytes;
  std::vector<Choice> choices;
  for (size_t p = 0; p < bytes->size(); ++p)
    choices.emplace_back(
        isOver((*bytes)[p])
            ? rankRecompute(module, int64_t(p), model, request.pipeline)
            : std::vector<RecomputePick>());
  while (llvm::any_of(*bytes, isOver)) {
    for (auto [p, needed] : llvm::enumerate(*bytes))
      if (isOver(needed) && !choices[p].change(needed - limit))
        return explain(module, p, atFirst[p], least[p], limit);
    bytes = oracle(module);
    if (failed(bytes))
      return failure();
    for (auto [known, now] : llvm::zip(least, *bytes))
      known = std::min(known, now);
  }
  unsigned count = 0;
  for (auto [p, choice] : llvm::enumerate(choices))
    if (!choice.isEmpty()) {
      choice.report(p);
      count += unsigned(choice.size());
    }
  return count;
}

namespace {

struct ChooseRecompute : impl::ChooseRecomputePassBase<ChooseRecompute> {
  using ChooseRecomputePassBase::ChooseRecomputePassBase;

  void runOnOperation() override {
    if (memoryLimit <= 0)
      return;
    const PlacementRequest request{.memoryLimit = memoryLimit,
                                   .pipeline = {pipeline, activeMicrobatches}};
    const RooflineModel model(targetOf(getOperation(), 0));
    auto predict = [&](ModuleOp marked) -> FailureOr<SmallVector<int64_t>> {
      OwningOpRef<ModuleOp> copy = marked.clone();
      recompute(*copy);
      SmallVector<int64_t> bytes;
      for (const PartitionLoad &load :
           predictLoads(*copy, model, request.pipeline))
        bytes.push_back(load.bytes());
      return bytes;
    };
    if (failed(chooseRecompute(getOperation(), request, model, predict)))
      signalPassFailure();
  }
};

} // namespace
} // namespace smp::passes
