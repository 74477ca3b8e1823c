// SPDX-License-Identifier: Apache-2.0
#include "GroupFlow.h"
#include "smp/ir/Placement.h"
#include "smp/passes/fusion/GroupBoundary.h"
#include "smp/passes/pipeline/EntryFlow.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {

/// An op that groups leave as it is, or a group.
struct Node {
  Operation *op = nullptr; ///< Of a group: null.
  const Group *group = nullptr;
};

class GroupFlow {
public:
  GroupFlow(Block &block, const FlowNames &names)
      : block(block), names(names), plan(block) {}

  FlowGraph build() {
    for (BlockArgument argument : block.getArguments())
      addValue(argument, FlowGraph::kCaller);
    addNodes();
    for (uint32_t node : order())
      if (isAlive[node])
        emit(nodes[node]);
    for (Value value : block.getTerminator()->getOperands())
      graph.results.push_back({numberOf.at(value)});
    return std::move(graph);
  }

private:
  /// Ops in the order of the block, each group before the last of its ops.
  void addNodes() {
    llvm::DenseMap<Operation *, const Group *> lastOf;
    for (const auto &group : plan.groups()) {
      lastOf[group->ops.back()] = group.get();
      boundaries[group.get()] = boundaryOf(plan, *group);
    }
    for (Operation &op : block.without_terminator()) {
      if (const Group *group = lastOf.lookup(&op)) {
        nodeOf[group] = uint32_t(nodes.size());
        nodes.push_back({nullptr, group});
      }
      nodeOf[&op] = uint32_t(nodes.size());
      nodes.push_back({&op, nullptr});
    }
    markAlive();
  }

  /// The node whose result `user` takes when it takes the value, or nothing.
  std::optional<uint32_t> makerFor(Value value, Operation *user) const {
    Operation *op = value.getDefiningOp();
    if (!op)
      return std::nullopt;
    const Group *group = plan.groupOf(op);
    if (group && takesFromOutside(plan, *group, user))
      return nodeOf.at(group);
    return nodeOf.at(op);
  }

  SmallVector<uint32_t> producersOf(uint32_t node) const {
    SmallVector<uint32_t> producers;
    auto [op, group] = nodes[node];
    if (op) {
      for (Value operand : op->getOperands())
        if (auto maker = makerFor(operand, op))
          producers.push_back(*maker);
      return producers;
    }
    for (Value input : boundaries.at(group).inputs)
      if (Operation *maker = input.getDefiningOp()) {
        const Group *from = plan.groupOf(maker);
        producers.push_back(from ? nodeOf.at(from) : nodeOf.at(maker));
      }
    return producers;
  }

  /// What writes and results need.
  void markAlive() {
    isAlive.resize(nodes.size());
    SmallVector<uint32_t> pending;
    for (auto assign : block.getOps<AssignOp>())
      pending.push_back(nodeOf.at(assign.getOperation()));
    Operation *end = block.getTerminator();
    for (Value value : end->getOperands())
      if (auto maker = makerFor(value, end))
        pending.push_back(*maker);
    while (!pending.empty()) {
      const uint32_t node = pending.pop_back_val();
      if (isAlive[node])
        continue;
      isAlive[node] = true;
      llvm::append_range(pending, producersOf(node));
    }
  }

  /// Producers before users, otherwise in the order of the nodes; ops that are
  /// in groups are still there when groups are sorted.
  SmallVector<uint32_t> order() const {
    SmallVector<uint32_t> list;
    std::vector<bool> isPlaced(nodes.size());
    SmallVector<std::pair<uint32_t, SmallVector<uint32_t>>> pending;
    auto enter = [&](uint32_t node) {
      if (isPlaced[node])
        return;
      isPlaced[node] = true;
      SmallVector<uint32_t> producers = producersOf(node);
      std::reverse(producers.begin(), producers.end());
      pending.push_back({node, std::move(producers)});
    };
    for (uint32_t node = 0; node < nodes.size(); ++node) {
      enter(node);
      while (!pending.empty()) {
        if (pending.back().second.empty()) {
          list.push_back(pending.back().first);
          pending.pop_back();
        } else {
          enter(pending.back().second.pop_back_val());
        }
      }
    }
    return list;
  }

  uint32_t addValue(Value value, uint32_t maker) {
    const auto bytes = bytesOf(value.getType());
    Work copy = workOfGroup({}, value, value);
    const double copySeconds = names.costs.seconds(
        copy, [&] { return names.signer.digestOfCopy(value.getType()); });
    numberOf[value] = graph.addValue(
        {maker, bytes, copySeconds, names.costs.transferSeconds(bytes), false});
    return numberOf[value];
  }

  void emit(const Node &node) {
    FlowGraph::Op made;
    const auto number = uint32_t(graph.ops.size());
    if (node.group)
      describe(*node.group, made);
    else
      describe(node.op, made);
    auto addResults = [&](ValueRange results) {
      for (Value result : results)
        made.results.push_back(addValue(result, number));
    };
    if (node.group)
      addResults(boundaries.at(node.group).results);
    else
      addResults(node.op->getResults());
    graph.ops.push_back(std::move(made));
  }

  void describe(Operation *op, FlowGraph::Op &made) const {
    made.role = flowRoleOf(op);
    made.phase = flowPhaseOf(op);
    made.partition = partitionOf(getPlacement(op));
    // Prepared values are made by those who use them, wherever their ops are.
    made.isPinned =
        made.isSource() && !isa<PreparedOp>(op) && names.isPinned(op);
    if (made.isSource() || made.role == FlowGraph::Role::Write)
      made.subject = names.subjectOf(op);
    if (made.partition == FlowGraph::kEverywhere && names.runsOnce(op))
      made.partition = 0;
    for (Value operand : op->getOperands())
      made.operands.push_back(numberOf.at(operand));
    made.readsInPlace.resize(made.operands.size());
    made.seconds = names.costs.seconds(op);
  }

  void describe(const Group &group, FlowGraph::Op &made) const {
    const GroupBoundary &boundary = boundaries.at(&group);
    made.phase = flowPhaseOf(group.ops.front());
    made.partition = partitionOf(group.placement);
    if (made.partition == FlowGraph::kEverywhere &&
        llvm::any_of(group.ops, names.runsOnce))
      made.partition = 0;
    made.seconds = names.costs.seconds(
        workOfGroup(boundary.body, boundary.inputs.getArrayRef(),
                    boundary.results),
        [&] { return names.signer.digestOf(group, boundary); });
    made.temporaries = names.temporariesOf(group, boundary);
    auto type = cast<RankedTensorType>(boundary.results.front().getType());
    for (Value input : boundary.inputs) {
      made.operands.push_back(numberOf.at(input));
      made.readsInPlace.push_back(
          readsInPlace(group.strategy, boundary.body, type.getShape(), input));
    }
  }

  static int32_t partitionOf(PlacementAttr placement) {
    if (!placement)
      return 0;
    return placement.isAll() ? FlowGraph::kEverywhere
                             : int32_t(placement.getPartition());
  }

  Block &block;
  const FlowNames &names;
  GroupPlan plan;
  std::vector<Node> nodes;
  llvm::DenseMap<const void *, uint32_t> nodeOf; ///< Of ops and groups.
  llvm::DenseMap<const Group *, GroupBoundary> boundaries;
  std::vector<bool> isAlive; ///< By node.
  llvm::DenseMap<Value, uint32_t> numberOf;
  FlowGraph graph;
};

} // namespace

FlowGraph groupFlowOf(Block &block, const FlowNames &names) {
  return GroupFlow(block, names).build();
}

} // namespace smp::passes
