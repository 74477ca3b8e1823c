// SPDX-License-Identifier: Apache-2.0
#include "StageGraph.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include <map>
#include <queue>

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {

class StageGraph {
public:
  StageGraph(EntryOp entry, const StageSources &sources)
      : entry(entry), sources(sources) {
    for (auto read : entry.getBody().getOps<ReadOp>())
      reads[read.getVariableAttr().getAttr()].push_back(read);
    for (Operation &op : entry.getBody().front().without_terminator())
      if (isInStage(&op))
        ops.push_back(&op);
  }

  LogicalResult build() {
    for (Operation *op : ops)
      deepen(op);
    if (failed(alignReaders()))
      return failure();
    postpone();
    for (Operation *op : ops)
      addOp(op);
    for (const auto &[op, stage] : stageOf)
      for (Operation *producer : producersOf(op))
        if (unsigned from = stageOf.lookup(producer); from != stage)
          stages[from].successors.insert(stage);
    return success();
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

  /// Whether the op is in a stage of its own right: others need its result, or
  /// it leaves the stages.
  bool isInStage(Operation *op) const {
    return !isa<TransferOp>(op) &&
           (!sources.contains(op) ||
            llvm::any_of(op->getUsers(), llvm::IsaPred<TransferOp, ReturnOp>));
  }

  /// The ops of the assign's phase that use the variable's value before it.
  SmallVector<Operation *> readersOf(AssignOp assign) const {
    SmallVector<Operation *> readers;
    for (Operation *read : reads.lookup(assign.getVariableAttr().getAttr())) {
      if (isInStage(read) && getPhase(read) == getPhase(assign))
        readers.push_back(read);
      for (Operation *user : read->getUsers())
        if (user != assign && getPhase(user) == getPhase(assign) &&
            !isa<TransferOp, ReturnOp>(user))
          readers.push_back(user);
    }
    return readers;
  }

  /// The ops that the op must follow: whose results it takes, through
  /// transfers, and if it assigns a variable, those that use it in its phase.
  SmallVector<Operation *> producersOf(Operation *op) const {
    SmallVector<Operation *> producers;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      bool isSent = isa_and_nonnull<TransferOp>(producer);
      if (isSent)
        producer = producer->getOperand(0).getDefiningOp();
      // A source that is sent is in a stage.
      if (producer && (isSent || !sources.contains(producer)))
        producers.push_back(producer);
    }
    if (auto assign = dyn_cast<AssignOp>(op))
      llvm::append_range(producers, readersOf(assign));
    return producers;
  }

  /// Gives the op its depth, or leaves it where it is deeper: the most
  /// transfers on a path to it, and returns to an earlier phase.
  void deepen(Operation *op) {
    unsigned depth = depthOf.lookup(op);
    int64_t partition = getPlacement(op).getPartition();
    for (Operation *producer : producersOf(op)) {
      bool isElsewhere = getPlacement(producer).getPartition() != partition;
      bool goesBack = getPhase(producer) > getPhase(op);
      depth =
          std::max(depth, depthOf.lookup(producer) + (isElsewhere || goesBack));
    }
    depthOf[op] = depth;
  }

  /// Brings what reads a variable that is assigned per microbatch to the depth
  /// of the assign, where there may be several microbatches.
  LogicalResult alignReaders() {
    SmallVector<AssignOp> assigns;
    auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr);
    if (count && count.getInt() == 1)
      return success();
    for (Operation *op : ops)
      if (auto assign = dyn_cast<AssignOp>(op))
        if (getPhase(assign) != Unit::Update)
          assigns.push_back(assign);
    for (size_t round = 0; round <= assigns.size(); ++round) {
      AssignOp moved;
      for (AssignOp assign : assigns)
        for (Operation *reader : readersOf(assign))
          if (depthOf.lookup(reader) < depthOf.lookup(assign)) {
            depthOf[reader] = depthOf.lookup(assign);
            moved = assign;
          }
      if (!moved)
        return success();
      for (Operation *op : ops)
        deepen(op);
      if (round == assigns.size())
        return moved.emitOpError()
               << "gives '" << moved.getVariable()
               << "' a value for the next microbatch that waits, on another "
                  "partition or for a gradient, for what reads it";
    }
    return success();
  }

  /// The ops that depend on nothing but variables that microbatches leave as
  /// they are.
  llvm::DenseSet<Operation *> findConstant() const {
    llvm::DenseSet<StringAttr> changing;
    for (Operation *op : ops)
      if (auto assign = dyn_cast<AssignOp>(op);
          assign && getPhase(assign) != Unit::Update)
        changing.insert(assign.getVariableAttr().getAttr());
    llvm::DenseSet<Operation *> constant;
    auto isConstant = [&](Value operand) {
      Operation *producer = operand.getDefiningOp();
      if (auto read = dyn_cast_or_null<ReadOp>(producer))
        return !changing.contains(read.getVariableAttr().getAttr());
      return producer &&
             (isa<ConstantOp>(producer) || constant.contains(producer));
    };
    for (Operation *op : ops)
      if (!isa<AssignOp, ReadOp>(op) && getPhase(op) != Unit::Update &&
          llvm::all_of(op->getOperands(), isConstant))
        constant.insert(op);
    return constant;
  }

  /// What an update needs late is computed late: it does not wait in memory for
  /// the norm of all gradients, say. So is what each microbatch computes of
  /// variables alone, as the packed form of a weight.
  void postpone() {
    const llvm::DenseSet<Operation *> constant = findConstant();
    llvm::DenseMap<Operation *, unsigned> latest;
    for (Operation *op : llvm::reverse(ops)) {
      const bool isUpdate = getPhase(op) == Unit::Update;
      if (auto found = latest.find(op);
          found != latest.end() && (isUpdate || constant.contains(op)))
        depthOf[op] = std::max(found->second, depthOf.lookup(op));
      for (Operation *producer : producersOf(op)) {
        if (!isUpdate && !constant.contains(producer))
          continue;
        bool isElsewhere = getPlacement(producer).getPartition() !=
                           getPlacement(op).getPartition();
        unsigned bound = depthOf.lookup(op) - isElsewhere;
        auto [known, isNew] = latest.try_emplace(producer, bound);
        if (!isNew)
          known->second = std::min(known->second, bound);
      }
    }
  }

  /// A partition's ops of one phase and equal depth form a stage, so that each
  /// transfer goes deeper.
  void addOp(Operation *op) {
    int64_t partition = getPlacement(op).getPartition();
    position[op] = unsigned(position.size());
    Unit unit = getPhase(op);
    auto [found, isNew] = stageAt.try_emplace(
        {partition, unit, depthOf.lookup(op)}, unsigned(stages.size()));
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

  EntryOp entry;
  const StageSources &sources;
  SmallVector<Operation *> ops; ///< Those that stages are made of.
  SmallVector<Stage> stages;
  std::map<std::tuple<int64_t, Unit, unsigned>, unsigned> stageAt;
  llvm::DenseMap<StringAttr, SmallVector<Operation *>> reads;
  llvm::MapVector<Operation *, unsigned> stageOf;
  llvm::DenseMap<Operation *, unsigned> depthOf, position;
};

} // namespace

FailureOr<SmallVector<StagePlan>> planStages(EntryOp entry,
                                             const StageSources &sources) {
  StageGraph graph(entry, sources);
  if (failed(graph.build()))
    return failure();
  graph.merge();
  return graph.inOrder();
}

} // namespace smp::passes
