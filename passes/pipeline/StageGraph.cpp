// SPDX-License-Identifier: Apache-2.0
#include "pipeline/StageGraph.h"
#include "partition/BuildProblem.h"
#include <map>
#include <queue>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

bool isMadePerStage(Operation *op) {
  return isCopied(op) && llvm::none_of(op->getUsers(), [](Operation *user) {
           return isa<TransferOp, ReturnOp>(user);
         });
}

namespace {

class StageGraph {
public:
  explicit StageGraph(EntryOp entry) {
    for (Operation &op : entry.getBody().front().without_terminator())
      if (!isa<TransferOp>(op) && !isMadePerStage(&op))
        addOp(&op);
    for (const auto &[op, stage] : stageOf)
      for (Operation *producer : producersOf(op))
        if (unsigned from = stageOf.lookup(producer); from != stage)
          stages[from].successors.insert(stage);
  }

  void merge() {
    while (mergeSome())
      continue;
  }

  /// Kahn's algorithm; of stages that are ready the one whose first op is
  /// first.
  SmallVector<StagePlan> inOrder() {
    SmallVector<unsigned> waitsFor(stages.size());
    for (const Stage &stage : stages)
      for (unsigned next : stage.successors)
        ++waitsFor[next];
    using Ready = std::pair<unsigned, unsigned>; // First op, stage.
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    auto offer = [&](unsigned index) {
      if (!stages[index].ops.empty())
        ready.push({position.lookup(stages[index].ops.front()), index});
    };
    for (unsigned i = 0; i < stages.size(); ++i)
      if (waitsFor[i] == 0)
        offer(i);
    SmallVector<StagePlan> order;
    while (!ready.empty()) {
      Stage &stage = stages[ready.top().second];
      ready.pop();
      for (unsigned next : stage.successors)
        if (--waitsFor[next] == 0)
          offer(next);
      order.push_back({stage.partition, std::move(stage.ops)});
    }
    return order;
  }

private:
  struct Stage {
    int64_t partition;
    SmallVector<Operation *> ops; ///< Empty once merged into another.
    llvm::SetVector<unsigned> successors;
  };

  /// The ops whose results the op takes, through transfers.
  static SmallVector<Operation *> producersOf(Operation *op) {
    SmallVector<Operation *> producers;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isa<TransferOp>(producer))
        producer = producer->getOperand(0).getDefiningOp();
      if (producer && !isMadePerStage(producer))
        producers.push_back(producer);
    }
    return producers;
  }

  /// A partition's ops of equal depth form a stage: the depth is the most
  /// transfers on a path to the op, so that each transfer goes deeper.
  void addOp(Operation *op) {
    unsigned depth = 0;
    int64_t partition = getPlacement(op).getPartition();
    for (Operation *producer : producersOf(op)) {
      bool isElsewhere = getPlacement(producer).getPartition() != partition;
      depth = std::max(depth, depthOf.lookup(producer) + isElsewhere);
    }
    depthOf[op] = depth;
    position[op] = unsigned(position.size());
    auto [found, isNew] =
        stageAt.try_emplace({partition, depth}, unsigned(stages.size()));
    if (isNew)
      stages.push_back({partition, {}, {}});
    stages[found->second].ops.push_back(op);
    stageOf[op] = found->second;
  }

  /// Whether a path leads from one stage to another by way of a third.
  bool reachesAround(unsigned from, unsigned to) const {
    llvm::SmallDenseSet<unsigned> seen;
    SmallVector<unsigned> pending;
    for (unsigned next : stages[from].successors)
      if (next != to && seen.insert(next).second)
        pending.push_back(next);
    while (!pending.empty())
      for (unsigned next : stages[pending.pop_back_val()].successors) {
        if (next == to)
          return true;
        if (seen.insert(next).second)
          pending.push_back(next);
      }
    return false;
  }

  bool mergeSome() {
    bool merged = false;
    std::map<int64_t, unsigned> last;
    // By partition and depth.
    for (const auto &[key, index] : stageAt) {
      if (stages[index].ops.empty())
        continue;
      auto [previous, isFirst] = last.try_emplace(key.first, index);
      if (isFirst)
        continue;
      unsigned into = previous->second;
      if (reachesAround(into, index) || reachesAround(index, into)) {
        previous->second = index;
        continue;
      }
      absorb(into, index);
      merged = true;
    }
    return merged;
  }

  void absorb(unsigned into, unsigned gone) {
    llvm::append_range(stages[into].ops, stages[gone].ops);
    llvm::sort(stages[into].ops, [&](Operation *a, Operation *b) {
      return position.lookup(a) < position.lookup(b);
    });
    stages[gone].ops.clear();
    stages[into].successors.insert_range(stages[gone].successors);
    stages[gone].successors.clear();
    for (Stage &stage : stages)
      if (stage.successors.remove(gone))
        stage.successors.insert(into);
    stages[into].successors.remove(into);
  }

  SmallVector<Stage> stages;
  std::map<std::pair<int64_t, unsigned>, unsigned> stageAt;
  llvm::MapVector<Operation *, unsigned> stageOf;
  llvm::DenseMap<Operation *, unsigned> depthOf, position;
};

} // namespace

SmallVector<StagePlan> planStages(EntryOp entry) {
  StageGraph graph(entry);
  graph.merge();
  return graph.inOrder();
}

} // namespace smp::passes
