// SPDX-License-Identifier: Apache-2.0
#include "pipeline/StageGraph.h"
#include "partition/BuildProblem.h"
#include "smp/ir/Placement.h"
#include <map>
#include <queue>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

bool isMadePerStage(Operation *op) {
  // A variable is read anew also where a user placed the read.
  return (isCopied(op) || isa<ReadOp>(op)) &&
         llvm::none_of(op->getUsers(), [](Operation *user) {
           return isa<TransferOp, ReturnOp>(user);
         });
}

namespace {

class StageGraph {
public:
  explicit StageGraph(EntryOp entry) {
    for (auto read : entry.getBody().getOps<ReadOp>())
      reads[read.getVariableAttr().getAttr()].push_back(read);
    SmallVector<Operation *> ops;
    for (Operation &op : entry.getBody().front().without_terminator())
      if (!isa<TransferOp>(op) && !isMadePerStage(&op))
        ops.push_back(&op);
    for (Operation *op : ops)
      findDepth(op);
    postponeUpdates(ops);
    for (Operation *op : ops)
      addOp(op);
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
    // Whether it is an update, first op, stage.
    using Ready = std::tuple<bool, unsigned, unsigned>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    auto offer = [&](unsigned index) {
      if (!stages[index].ops.empty())
        ready.push({stages[index].unit == Unit::Update,
                    position.lookup(stages[index].ops.front()), index});
    };
    for (unsigned i = 0; i < stages.size(); ++i)
      if (waitsFor[i] == 0)
        offer(i);
    SmallVector<StagePlan> order;
    while (!ready.empty()) {
      Stage &stage = stages[std::get<2>(ready.top())];
      ready.pop();
      for (unsigned next : stage.successors)
        if (--waitsFor[next] == 0)
          offer(next);
      order.push_back({stage.partition, stage.unit, std::move(stage.ops)});
    }
    return order;
  }

private:
  struct Stage {
    int64_t partition;
    Unit unit;
    SmallVector<Operation *> ops; ///< Empty once merged into another.
    llvm::SetVector<unsigned> successors;
  };

  /// The ops that the op must follow: whose results it takes, through
  /// transfers, and if it assigns a variable, the other users in its phase.
  SmallVector<Operation *> producersOf(Operation *op) const {
    SmallVector<Operation *> producers;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && isa<TransferOp>(producer))
        producer = producer->getOperand(0).getDefiningOp();
      if (producer && !isMadePerStage(producer))
        producers.push_back(producer);
    }
    if (auto assign = dyn_cast<AssignOp>(op))
      for (Operation *read : reads.lookup(assign.getVariableAttr().getAttr())) {
        if (getPhase(read) == getPhase(op) && !isMadePerStage(read))
          producers.push_back(read);
        for (Operation *user : read->getUsers())
          if (user != op && getPhase(user) == getPhase(op) &&
              !isa<TransferOp, ReturnOp>(user))
            producers.push_back(user);
      }
    return producers;
  }

  /// A partition's ops of one phase and equal depth form a stage: the depth is
  /// the most transfers on a path to the op, so that each transfer goes deeper.
  void findDepth(Operation *op) {
    unsigned depth = 0;
    int64_t partition = getPlacement(op).getPartition();
    for (Operation *producer : producersOf(op)) {
      bool isElsewhere = getPlacement(producer).getPartition() != partition;
      depth = std::max(depth, depthOf.lookup(producer) + isElsewhere);
    }
    depthOf[op] = depth;
  }

  /// What an update needs late is computed late: it does not wait in memory for
  /// the norm of all gradients, say.
  void postponeUpdates(ArrayRef<Operation *> ops) {
    llvm::DenseMap<Operation *, unsigned> latest;
    for (Operation *op : llvm::reverse(ops)) {
      if (getPhase(op) != Unit::Update)
        continue;
      if (auto found = latest.find(op); found != latest.end())
        depthOf[op] = found->second;
      for (Operation *producer : producersOf(op)) {
        bool isElsewhere = getPlacement(producer).getPartition() !=
                           getPlacement(op).getPartition();
        unsigned bound = depthOf.lookup(op) - isElsewhere;
        auto [known, isNew] = latest.try_emplace(producer, bound);
        if (!isNew)
          known->second = std::min(known->second, bound);
      }
    }
  }

  void addOp(Operation *op) {
    int64_t partition = getPlacement(op).getPartition();
    unsigned depth = depthOf.lookup(op);
    position[op] = unsigned(position.size());
    Unit unit = getPhase(op);
    auto [found, isNew] =
        stageAt.try_emplace({partition, unit, depth}, unsigned(stages.size()));
    if (isNew)
      stages.push_back({partition, unit, {}, {}});
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
    std::map<std::pair<int64_t, Unit>, unsigned> last;
    // By partition, phase and depth.
    for (const auto &[key, index] : stageAt) {
      if (stages[index].ops.empty())
        continue;
      auto [previous, isFirst] =
          last.try_emplace({std::get<0>(key), std::get<1>(key)}, index);
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
  std::map<std::tuple<int64_t, Unit, unsigned>, unsigned> stageAt;
  llvm::DenseMap<StringAttr, SmallVector<Operation *>> reads;
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
