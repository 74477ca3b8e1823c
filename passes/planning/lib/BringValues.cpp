// SPDX-License-Identifier: Apache-2.0
#include "BringValues.h"
#include <algorithm>
#include <map>

namespace smp::passes {

namespace {

using Role = FlowGraph::Role;

class Distributor {
public:
  Distributor(FlowGraph given, const std::vector<bool> &isAssigned)
      : graph(std::move(given)), isAssigned(isAssigned),
        behind(graph.ops.size()), uses(graph.values.size()) {
    for (const FlowGraph::Op &op : graph.ops)
      for (uint32_t operand : op.operands)
        ++uses[operand];
    for (const FlowGraph::Result &result : graph.results)
      ++uses[result.value];
  }

  FlowGraph run() {
    numGiven = graph.ops.size();
    remakeViews();
    const auto count = uint32_t(graph.ops.size());
    for (uint32_t op = 0; op < count; ++op)
      if (stays(op) && graph.ops[op].role != Role::Transfer)
        for (size_t i = 0; i < graph.ops[op].operands.size(); ++i)
          setOperand(op, i,
                     bring(graph.ops[op].operands[i], graph.ops[op].partition));
    for (FlowGraph::Result &result : graph.results) {
      const uint32_t value =
          sourceAgain(bring(result.value, homeOf(result.value)));
      --uses[result.value], ++uses[value];
      result.value = value;
    }
    isGone.resize(graph.ops.size());
    for (uint32_t op : reversedOrder())
      if ((!stays(op) || graph.ops[op].role == Role::Transfer) && isUnused(op))
        erase(op);
    return ordered();
  }

private:
  const FlowGraph::Op *makerOf(uint32_t value) const {
    return graph.makerOf(value);
  }
  bool stays(uint32_t op) const { return stays(graph.ops[op]); }

  /// Whether the op runs on one partition and others get its results; else it
  /// is copied.
  static bool stays(const FlowGraph::Op &op) {
    return op.partition != FlowGraph::kEverywhere &&
           !(op.isSource() && !op.isPinned);
  }

  /// A variable that changes is in one place: others are sent its value.
  bool isSent(const FlowGraph::Op &op) const {
    return stays(op) || (op.role == Role::Read && isAssigned[op.subject]);
  }

  static bool isThere(const FlowGraph::Op &op, int32_t partition) {
    return op.partition == partition && (stays(op) || op.isSource());
  }

  void setOperand(uint32_t op, size_t index, uint32_t value) {
    uint32_t &operand = graph.ops[op].operands[index];
    --uses[operand], ++uses[value];
    operand = value;
  }

  /// A copy of the op with results of its own, right behind it.
  uint32_t copyOf(uint32_t original) {
    const auto made = uint32_t(graph.ops.size());
    graph.ops.push_back(graph.ops[original]);
    for (uint32_t &result : graph.ops[made].results)
      result = addValue(made, result);
    for (uint32_t operand : graph.ops[made].operands)
      ++uses[operand];
    behind.emplace_back();
    behind[original].push_back(made);
    return made;
  }

  uint32_t addValue(uint32_t maker, uint32_t like) {
    FlowGraph::Value value = graph.values[like];
    value.maker = maker;
    uses.push_back(0);
    return graph.addValue(value);
  }

  /// Another phase has a view for itself: the tensor need not be stored twice.
  void remakeViews() {
    const FlowUsers users(graph);
    for (uint32_t view = 0; view < numGiven; ++view) {
      if (graph.ops[view].role != Role::Alias)
        continue;
      std::map<Phase, uint32_t> copies;
      const uint32_t value = graph.ops[view].results.front();
      for (uint32_t user : users.of(value)) {
        const Phase phase = graph.ops[user].phase;
        if (phase == graph.ops[view].phase)
          continue;
        auto [copy, isNew] = copies.try_emplace(phase);
        if (isNew) {
          copy->second = copyOf(view);
          graph.ops[copy->second].phase = phase;
        }
        for (size_t i = 0; i < graph.ops[user].operands.size(); ++i)
          if (graph.ops[user].operands[i] == value)
            setOperand(user, i, graph.ops[copy->second].results.front());
      }
    }
  }

  /// The value on `partition`: itself, a copy of what makes it, or a transfer.
  uint32_t bring(uint32_t value, int32_t partition) {
    // From where it was made, if it was transferred elsewhere before.
    while (makerOf(value) && makerOf(value)->role == Role::Transfer &&
           makerOf(value)->partition != partition)
      value = makerOf(value)->operands.front();
    const uint32_t maker = graph.values[value].maker;
    if (maker == FlowGraph::kCaller || isThere(graph.ops[maker], partition))
      return value;
    if (auto found = brought.find({value, partition}); found != brought.end())
      return found->second;
    if (isSent(graph.ops[maker]))
      return brought[{value, partition}] = transfer(
                 graph.ops[maker].role == Role::Read ? sourceAgain(value)
                                                     : value,
                 partition);
    copyChain(maker, partition);
    return brought.at({value, partition});
  }

  /// Copies the op, and first what it needs.
  void copyChain(uint32_t root, int32_t partition) {
    std::vector<uint32_t> pending{root};
    while (!pending.empty()) {
      const uint32_t op = pending.back();
      const size_t depth = pending.size();
      for (uint32_t operand : graph.ops[op].operands)
        if (const FlowGraph::Op *maker = makerOf(operand);
            maker && !isThere(*maker, partition) && !isSent(*maker) &&
            !brought.count({operand, partition}))
          pending.push_back(graph.values[operand].maker);
      if (pending.size() > depth)
        continue;
      pending.pop_back();
      if (brought.count({graph.ops[op].results.front(), partition}))
        continue;
      const uint32_t made = copyOf(op);
      graph.ops[made].partition = partition;
      for (size_t i = 0; i < graph.ops[made].operands.size(); ++i)
        setOperand(made, i, bring(graph.ops[made].operands[i], partition));
      for (size_t i = 0; i < graph.ops[made].results.size(); ++i)
        brought[{graph.ops[op].results[i], partition}] =
            graph.ops[made].results[i];
    }
  }

  /// What leaves the entry or the partition comes from a source of its own, so
  /// that stages where the source is still have theirs.
  uint32_t sourceAgain(uint32_t value) {
    const FlowGraph::Op *source = makerOf(value);
    if (!source ||
        (source->role != Role::Read && source->role != Role::Prepared) ||
        uses[value] == 1)
      return value;
    return graph.ops[copyOf(graph.values[value].maker)].results.front();
  }

  uint32_t transfer(uint32_t value, int32_t partition) {
    const uint32_t maker = graph.values[value].maker;
    const auto made = uint32_t(graph.ops.size());
    FlowGraph::Op op;
    op.role = Role::Transfer;
    op.partition = partition;
    op.operands = {value};
    op.results = {addValue(made, value)};
    ++uses[value];
    const uint32_t result = op.results.front();
    graph.ops.push_back(std::move(op));
    behind.emplace_back();
    behind[maker].push_back(made);
    return result;
  }

  /// Where the caller takes a result from: where it is, or where the first
  /// thing it is computed from is.
  int32_t homeOf(uint32_t value) const {
    const FlowGraph::Op *maker = makerOf(value);
    while (maker && maker->partition == FlowGraph::kEverywhere) {
      auto from = std::find_if(
          maker->operands.begin(), maker->operands.end(), [&](uint32_t v) {
            const FlowGraph::Op *op = makerOf(v);
            return op && !(op->isSource() && !op->isPinned);
          });
      maker = from == maker->operands.end() ? nullptr : makerOf(*from);
    }
    return maker ? maker->partition : 0;
  }

  bool isUnused(uint32_t op) const {
    return std::all_of(graph.ops[op].results.begin(),
                       graph.ops[op].results.end(),
                       [&](uint32_t value) { return uses[value] == 0; });
  }

  void erase(uint32_t op) {
    isGone[op] = true;
    for (uint32_t operand : graph.ops[op].operands)
      --uses[operand];
  }

  /// All ops, each followed by those that were put behind it, the latest first.
  std::vector<uint32_t> order() const {
    std::vector<uint32_t> list, pending;
    for (uint32_t op = 0; op < numGiven; ++op) {
      pending.push_back(op);
      while (!pending.empty()) {
        const uint32_t next = pending.back();
        pending.pop_back();
        list.push_back(next);
        pending.insert(pending.end(), behind[next].begin(), behind[next].end());
      }
    }
    return list;
  }

  std::vector<uint32_t> reversedOrder() const {
    std::vector<uint32_t> list = order();
    std::reverse(list.begin(), list.end());
    return list;
  }

  /// The graph in order, without what is gone.
  FlowGraph ordered() {
    std::vector<uint32_t> list;
    for (const bool isWrite : {false, true})
      for (uint32_t op : order())
        if (!isGone[op] && (graph.ops[op].role == Role::Write) == isWrite)
          list.push_back(op);
    FlowGraph result;
    for (uint32_t op : list) {
      for (uint32_t value : graph.ops[op].results)
        graph.values[value].maker = uint32_t(result.ops.size());
      result.ops.push_back(std::move(graph.ops[op]));
    }
    result.values = std::move(graph.values);
    result.results = std::move(graph.results);
    result.microbatches = graph.microbatches;
    result.weight = graph.weight;
    return result;
  }

  FlowGraph graph;
  const std::vector<bool> &isAssigned;
  size_t numGiven = 0;                       ///< Ops of the graph as it was.
  std::vector<std::vector<uint32_t>> behind; ///< By op: those put behind it.
  std::vector<uint32_t> uses;                ///< By value.
  std::vector<bool> isGone;                  ///< By op.
  std::map<std::pair<uint32_t, int32_t>, uint32_t> brought;
};

} // namespace

FlowGraph bringValues(FlowGraph graph, const std::vector<bool> &isAssigned) {
  return Distributor(std::move(graph), isAssigned).run();
}

} // namespace smp::passes
