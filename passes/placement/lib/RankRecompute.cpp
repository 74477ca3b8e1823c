// SPDX-License-Identifier: Apache-2.0
#include "Footprint.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/placement/ChooseRecompute.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

/// Ranks what one entry keeps on one partition.
class Ranker {
public:
  Ranker(EntryOp entry, int64_t partition, const CostModel &model,
         PipelineChoice pipeline)
      : partition(partition), model(model), stash(stashedValues(entry)),
        footprint(entry, getNumPartitions(entry->getParentOfType<ModuleOp>()),
                  model, pipeline) {
    for (Value value : stash)
      if (mayGo(value)) {
        // Any backward op has one value of that size before it anyway.
        longest = std::max(longest, bytesOf(value.getType()));
        candidates.emplace_back(value);
        collect(candidates.back());
      }
  }

  std::vector<RecomputePick> run() {
    std::vector<RecomputePick> picks;
    for (bool countsGrowth : {true, false})
      while (Candidate *best = findBest(countsGrowth))
        picks.push_back(take(*best));
    return picks;
  }

private:
  struct Candidate {
    explicit Candidate(Value value) : value(value) {}

    Value value;
    bool isTaken = false;
    SmallVector<Operation *> ops;         ///< To copy.
    llvm::SmallSetVector<Value, 4> from;  ///< Kept values that copies take.
    llvm::SmallSetVector<Value, 4> needs; ///< Taken candidates, likewise.
    int64_t gainBytes = 0;                ///< Of all microbatches.
    double seconds = 0;
  };

  bool isHere(Operation *op) const {
    PlacementAttr placement = getPlacement(op);
    if (placement && placement.isAll())
      return footprint.numPartitions() == 1;
    return placement && placement.getPartition() == partition;
  }

  /// Whether the value is made here, without effects, for backward ops here.
  bool mayGo(Value value) const {
    Operation *producer = value.getDefiningOp();
    if (!isHere(producer) || !isPure(producer) || isSource(producer))
      return false;
    SmallVector<Value> names{value};
    while (!names.empty())
      for (Operation *user : names.pop_back_val().getUsers()) {
        if (isa<ReturnOp>(user) ||
            (getPhase(user) != Unit::Forward && !isHere(user)))
          return false;
        if (isView(user))
          names.push_back(user->getResult(0));
      }
    return true;
  }

  /// Bytes of the value, of all microbatches under way.
  int64_t bytesUnderWay(Value value) const {
    Operation *producer = value.getDefiningOp();
    int64_t count = footprint.inFlight(producer);
    // Another partition is given it anyway, in a channel. In chains of 2 to 8
    // partitions with 2 to 32 microbatches, backward work taking 1 to 3 times
    // as long as forward work, channels between forward stages hold two tensors
    // in 341 of 420 cases, and else 3 or 4.
    constexpr int64_t kInTransfer = 2;
    if (llvm::any_of(value.getUsers(), [&](Operation *user) {
          return getPlacement(user) && !isHere(user);
        }))
      count = std::max<int64_t>(count - kInTransfer, 0);
    return bytesOf(value.getType()) * count;
  }

  /// Finds what has to be copied for the value.
  void collect(Candidate &candidate) {
    candidate.ops.clear();
    candidate.from.clear();
    candidate.needs.clear();
    candidate.seconds = 0;
    candidate.gainBytes = bytesUnderWay(candidate.value);
    llvm::SmallPtrSet<Operation *, 8> seen;
    SmallVector<Operation *> pending{candidate.value.getDefiningOp()};
    while (!pending.empty()) {
      Operation *op = pending.pop_back_val();
      if (!seen.insert(op).second)
        continue;
      candidate.ops.push_back(op);
      candidate.seconds += model.seconds(op);
      for (Value operand : op->getOperands())
        if (Operation *producer = source(operand, candidate))
          pending.push_back(producer);
    }
    addViews(candidate.value, candidate);
  }

  /// The op that has to be copied for the value too; null where the value is
  /// there.
  Operation *source(Value value, Candidate &candidate) {
    Value root = viewedValue(value);
    Operation *maker = root.getDefiningOp();
    if (!maker || isSource(maker))
      return nullptr;
    if (stash.contains(root)) {
      candidate.from.insert(root);
      return nullptr;
    }
    Operation *producer = value.getDefiningOp();
    if (auto taken = madeFor.find(producer); taken != madeFor.end()) {
      candidate.needs.insert(taken->second);
      return nullptr;
    }
    if (isHere(producer) && isPure(producer) && !isSource(producer))
      return producer;
    // It has to be kept in place of the candidate.
    candidate.gainBytes -= bytesOf(root.getType()) * footprint.inFlight(maker);
    return nullptr;
  }

  /// Backward ops take views of the copy.
  void addViews(Value value, Candidate &candidate) {
    SmallVector<Value> shown{value};
    while (!shown.empty())
      for (Operation *user : shown.pop_back_val().getUsers())
        if (isView(user) && getPhase(user) == Unit::Forward && isHere(user)) {
          candidate.ops.push_back(user);
          shown.push_back(user->getResult(0));
        }
  }

  /// How many more bytes must be there at once when the candidate is computed
  /// where it is used: it and the copies that it is connected to.
  int64_t growthOf(const Candidate &candidate) const {
    llvm::SmallSetVector<Value, 4> leaders;
    for (Value other : connected(candidate))
      leaders.insert(regions.getLeaderValue(other));
    int64_t bytes = bytesOf(candidate.value.getType());
    for (Value leader : leaders)
      bytes += bytesOfRegion.lookup(leader);
    return std::max<int64_t>(bytes - longest, 0);
  }

  SmallVector<Value> connected(const Candidate &candidate) const {
    SmallVector<Value> others(candidate.needs.begin(), candidate.needs.end());
    llvm::append_range(others, takenFrom.lookup(candidate.value));
    return others;
  }

  /// The candidate that frees most per second, or null when none frees any. The
  /// first of equal ones.
  Candidate *findBest(bool countsGrowth) {
    Candidate *best = nullptr;
    double mostPerSecond = 0;
    for (Candidate &candidate : candidates) {
      if (candidate.isTaken)
        continue;
      int64_t bytes =
          candidate.gainBytes - (countsGrowth ? growthOf(candidate) : 0);
      constexpr double kLeastSeconds = 1e-9;
      double perSecond = double(bytes) / (candidate.seconds + kLeastSeconds);
      if (bytes > 0 && perSecond > mostPerSecond) {
        best = &candidate;
        mostPerSecond = perSecond;
      }
    }
    return best;
  }

  RecomputePick take(Candidate &candidate) {
    candidate.isTaken = true;
    longest += growthOf(candidate);
    Value value = candidate.value;
    stash.remove(value);
    regions.insert(value);
    int64_t bytes = bytesOf(value.getType());
    for (Value other : connected(candidate)) {
      Value leader = regions.getLeaderValue(other);
      if (leader != regions.getLeaderValue(value))
        bytes += bytesOfRegion.lookup(leader);
      regions.unionSets(value, other);
    }
    bytesOfRegion[regions.getLeaderValue(value)] = bytes;
    for (Value source : candidate.from)
      takenFrom[source].push_back(value);
    for (Operation *op : candidate.ops)
      madeFor.try_emplace(op, value);
    for (Candidate &other : candidates)
      if (!other.isTaken && (other.from.contains(value) ||
                             llvm::any_of(other.ops, [&](Operation *op) {
                               return madeFor.contains(op);
                             })))
        collect(other);
    return {value, candidate.ops, candidate.gainBytes, candidate.seconds};
  }

  const int64_t partition;
  const CostModel &model;
  llvm::SetVector<Value> stash; ///< Less what has been taken.
  Footprint footprint;
  std::vector<Candidate> candidates; ///< In the order of their ops.
  /// Copied ops, and the pick that they were first copied for.
  llvm::DenseMap<Operation *, Value> madeFor;
  /// By a value that was kept: picks that take it.
  llvm::DenseMap<Value, SmallVector<Value>> takenFrom;
  /// Picks that are computed together, and their bytes by leader.
  llvm::EquivalenceClasses<Value> regions;
  llvm::DenseMap<Value, int64_t> bytesOfRegion;
  int64_t longest = 0; ///< Bytes of the greatest region.
};

double perSecond(const RecomputePick &pick) {
  return double(pick.freedBytes) / (pick.seconds + 1e-9);
}

} // namespace

std::vector<RecomputePick> rankRecompute(ModuleOp module, int64_t partition,
                                         const CostModel &model,
                                         PipelineChoice pipeline) {
  std::vector<RecomputePick> all;
  for (auto entry : module.getOps<EntryOp>()) {
    std::vector<RecomputePick> picks =
        Ranker(entry, partition, model, pipeline).run();
    // Entries take turns: none of them may need more than the limit.
    std::vector<RecomputePick> merged;
    auto a = all.begin(), b = picks.begin();
    while (a != all.end() || b != picks.end())
      if (b == picks.end() ||
          (a != all.end() && perSecond(*a) >= perSecond(*b)))
        merged.push_back(std::move(*a++));
      else
        merged.push_back(std::move(*b++));
    all = std::move(merged);
  }
  return all;
}

} // namespace smp::passes
