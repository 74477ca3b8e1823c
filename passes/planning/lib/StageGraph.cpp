// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/StageGraph.h"
#include <algorithm>
#include <map>
#include <queue>
#include <set>
#include <tuple>

namespace smp::passes {

namespace {

using Role = FlowGraph::Role;

class StageGraph {
public:
  StageGraph(const FlowGraph &graph, const std::vector<bool> &sources)
      : graph(graph), sources(sources), users(graph), depthOf(graph.ops.size()),
        stageOf(graph.ops.size()), producers(graph.ops.size()) {
    for (uint32_t op = 0; op < graph.ops.size(); ++op)
      if (graph.ops[op].role == Role::Read)
        reads[graph.ops[op].subject].push_back(op);
    for (uint32_t op = 0; op < graph.ops.size(); ++op)
      if (isInStage(op))
        ops.push_back(op);
    for (uint32_t op : ops)
      producers[op] = producersOf(op);
  }

  /// A write that is late, or nothing.
  std::optional<uint32_t> build() {
    for (uint32_t op : ops)
      deepen(op);
    if (std::optional<uint32_t> late = alignReaders())
      return late;
    postpone();
    for (uint32_t op : ops)
      addOp(op);
    for (uint32_t op : ops)
      for (uint32_t producer : producers[op])
        if (stageOf[producer] != stageOf[op])
          stages[stageOf[producer]].successors.insert(stageOf[op]);
    return std::nullopt;
  }

  void merge() {
    while (mergeSome())
      continue;
  }

  /// Kahn's algorithm; of stages that are ready the one whose first op is
  /// first.
  std::vector<StagePlan> inOrder() {
    std::vector<uint32_t> waitsFor(stages.size());
    for (const Stage &stage : stages)
      for (uint32_t next : stage.successors)
        ++waitsFor[next];
    // Whether it is an update, first op, stage.
    using Ready = std::tuple<bool, uint32_t, uint32_t>;
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    auto offer = [&](uint32_t index) {
      if (!stages[index].ops.empty())
        ready.push({stages[index].phase == Phase::Update,
                    stages[index].ops.front(), index});
    };
    for (uint32_t i = 0; i < stages.size(); ++i)
      if (waitsFor[i] == 0)
        offer(i);
    std::vector<StagePlan> order;
    while (!ready.empty()) {
      Stage &stage = stages[std::get<2>(ready.top())];
      ready.pop();
      for (uint32_t next : stage.successors)
        if (--waitsFor[next] == 0)
          offer(next);
      order.push_back({stage.partition, stage.phase, std::move(stage.ops)});
    }
    return order;
  }

private:
  struct Stage {
    uint32_t partition;
    Phase phase;
    std::vector<uint32_t> ops; ///< Empty once merged into another.
    std::set<uint32_t> successors;
  };

  const FlowGraph::Op &at(uint32_t op) const { return graph.ops[op]; }

  /// Whether the op is in a stage of its own right: others need its result, or
  /// it leaves the stages.
  bool isInStage(uint32_t op) const {
    if (at(op).role == Role::Transfer)
      return false;
    return !sources[op] ||
           std::any_of(at(op).results.begin(), at(op).results.end(),
                       [&](uint32_t v) { return leavesStages(v); });
  }

  bool leavesStages(uint32_t value) const {
    const std::vector<uint32_t> &takers = users.of(value);
    return users.isResult(value) ||
           std::any_of(takers.begin(), takers.end(), [&](uint32_t user) {
             return at(user).role == Role::Transfer;
           });
  }

  /// The ops of the write's phase that use the variable's value before it.
  std::vector<uint32_t> readersOf(uint32_t write) const {
    std::vector<uint32_t> readers;
    auto found = reads.find(at(write).subject);
    if (found == reads.end())
      return readers;
    for (uint32_t read : found->second) {
      if (at(read).phase == at(write).phase && isInStage(read))
        readers.push_back(read);
      for (uint32_t user : users.of(at(read).results.front()))
        if (user != write && at(user).phase == at(write).phase &&
            at(user).role != Role::Transfer)
          readers.push_back(user);
    }
    return readers;
  }

  /// The ops that the op must follow: whose results it takes, through
  /// transfers, and if it assigns a variable, those that use it in its phase.
  std::vector<uint32_t> producersOf(uint32_t op) const {
    std::vector<uint32_t> found;
    for (uint32_t operand : at(op).operands) {
      uint32_t maker = graph.values[operand].maker;
      const bool isSent =
          maker != FlowGraph::kCaller && at(maker).role == Role::Transfer;
      if (isSent)
        maker = graph.values[at(maker).operands.front()].maker;
      // A source that is sent is in a stage.
      if (maker != FlowGraph::kCaller && (isSent || !sources[maker]))
        found.push_back(maker);
    }
    if (at(op).role == Role::Write)
      for (uint32_t reader : readersOf(op))
        found.push_back(reader);
    return found;
  }

  /// Gives the op its depth, or leaves it where it is deeper: the most
  /// transfers on a path to it, and returns to an earlier phase.
  void deepen(uint32_t op) {
    for (uint32_t producer : producers[op]) {
      const bool isElsewhere = at(producer).partition != at(op).partition;
      const bool goesBack = at(producer).phase > at(op).phase;
      depthOf[op] =
          std::max(depthOf[op], depthOf[producer] + (isElsewhere || goesBack));
    }
  }

  /// Brings what reads a variable that is assigned per microbatch to the depth
  /// of the write, where there may be several microbatches.
  std::optional<uint32_t> alignReaders() {
    std::vector<uint32_t> writes;
    if (graph.microbatches == 1)
      return std::nullopt;
    for (uint32_t op : ops)
      if (at(op).role == Role::Write && at(op).phase != Phase::Update)
        writes.push_back(op);
    for (size_t round = 0; round <= writes.size(); ++round) {
      std::optional<uint32_t> moved;
      for (uint32_t write : writes)
        for (uint32_t reader : readersOf(write))
          if (depthOf[reader] < depthOf[write]) {
            depthOf[reader] = depthOf[write];
            moved = write;
          }
      if (!moved)
        return std::nullopt;
      for (uint32_t op : ops)
        deepen(op);
      if (round == writes.size())
        return moved;
    }
    return std::nullopt;
  }

  /// By op: whether it depends on nothing but variables that microbatches leave
  /// as they are.
  std::vector<bool> findConstant() const {
    std::set<uint32_t> changing;
    for (uint32_t op : ops)
      if (at(op).role == Role::Write && at(op).phase != Phase::Update)
        changing.insert(at(op).subject);
    std::vector<bool> constant(graph.ops.size());
    auto isConstant = [&](uint32_t operand) {
      const uint32_t maker = graph.values[operand].maker;
      if (maker == FlowGraph::kCaller)
        return false;
      if (at(maker).role == Role::Read)
        return !changing.count(at(maker).subject);
      return at(maker).role == Role::Constant || constant[maker];
    };
    for (uint32_t op : ops)
      constant[op] = at(op).role != Role::Write && at(op).role != Role::Read &&
                     at(op).phase != Phase::Update &&
                     std::all_of(at(op).operands.begin(), at(op).operands.end(),
                                 isConstant);
    return constant;
  }

  /// What an update needs late is computed late: it does not wait in memory for
  /// the norm of all gradients, say. So is what the gradients of weights need,
  /// and what each microbatch computes of variables alone, as the packed form
  /// of a weight.
  void postpone() {
    const std::vector<bool> constant = findConstant();
    constexpr uint32_t kAnyDepth = ~uint32_t(0);
    std::vector<uint32_t> latest(graph.ops.size(), kAnyDepth);
    for (size_t i = ops.size(); i-- > 0;) {
      const uint32_t op = ops[i];
      const bool isLate =
          at(op).phase == Phase::Update || at(op).phase == Phase::Weight;
      if (latest[op] != kAnyDepth && (isLate || constant[op]))
        depthOf[op] = std::max(latest[op], depthOf[op]);
      for (uint32_t producer : producers[op]) {
        if (!isLate && !constant[producer])
          continue;
        const bool isElsewhere = at(producer).partition != at(op).partition;
        latest[producer] =
            std::min(latest[producer], depthOf[op] - isElsewhere);
      }
    }
  }

  /// A partition's ops of one phase and equal depth form a stage, so that each
  /// transfer goes deeper.
  void addOp(uint32_t op) {
    const auto partition = uint32_t(at(op).partition);
    auto [found, isNew] = stageAt.try_emplace(
        {partition, at(op).phase, depthOf[op]}, uint32_t(stages.size()));
    if (isNew)
      stages.push_back({partition, at(op).phase, {}, {}});
    stages[found->second].ops.push_back(op);
    stageOf[op] = found->second;
  }

  /// Whether a path leads from one stage to another by way of a third.
  bool reachesAround(uint32_t from, uint32_t to) const {
    std::vector<bool> seen(stages.size());
    std::vector<uint32_t> pending;
    for (uint32_t next : stages[from].successors)
      if (next != to) {
        seen[next] = true;
        pending.push_back(next);
      }
    while (!pending.empty()) {
      const uint32_t stage = pending.back();
      pending.pop_back();
      for (uint32_t next : stages[stage].successors) {
        if (next == to)
          return true;
        if (!seen[next]) {
          seen[next] = true;
          pending.push_back(next);
        }
      }
    }
    return false;
  }

  using Key = std::tuple<uint32_t, Phase, uint32_t>; ///< And depth.

  /// Of a weight stage, the deepest backward stage of its partition that is not
  /// deeper: with weight stages of others it would wait for what these wait
  /// for.
  std::optional<uint32_t> backwardOf(const Key &key) const {
    auto [partition, phase, depth] = key;
    if (phase != Phase::Weight)
      return std::nullopt;
    std::optional<uint32_t> found;
    const auto first = stageAt.lower_bound({partition, Phase::Backward, 0});
    const auto end = stageAt.upper_bound({partition, Phase::Backward, depth});
    for (auto at = first; at != end; ++at)
      if (!stages[at->second].ops.empty())
        found = at->second;
    return found;
  }

  bool mergeSome() {
    bool merged = false;
    std::map<std::pair<uint32_t, Phase>, Key> last;
    for (const auto &[key, index] : stageAt) {
      if (stages[index].ops.empty())
        continue;
      auto [previous, isFirst] =
          last.try_emplace({std::get<0>(key), std::get<1>(key)}, key);
      if (isFirst)
        continue;
      const uint32_t into = stageAt.at(previous->second);
      if (backwardOf(previous->second) != backwardOf(key) ||
          reachesAround(into, index) || reachesAround(index, into)) {
        previous->second = key;
        continue;
      }
      absorb(into, index);
      merged = true;
    }
    return merged;
  }

  void absorb(uint32_t into, uint32_t gone) {
    Stage &stage = stages[into];
    stage.ops.insert(stage.ops.end(), stages[gone].ops.begin(),
                     stages[gone].ops.end());
    std::sort(stage.ops.begin(), stage.ops.end());
    stages[gone].ops.clear();
    stage.successors.merge(stages[gone].successors);
    stages[gone].successors.clear();
    for (Stage &other : stages)
      if (other.successors.erase(gone))
        other.successors.insert(into);
    stage.successors.erase(into);
  }

  const FlowGraph &graph;
  const std::vector<bool> &sources;
  const FlowUsers users;
  std::vector<uint32_t> ops; ///< Those that stages are made of.
  std::vector<Stage> stages;
  std::map<Key, uint32_t> stageAt;
  std::map<uint32_t, std::vector<uint32_t>> reads; ///< By variable.
  std::vector<uint32_t> depthOf, stageOf;          ///< By op.
  std::vector<std::vector<uint32_t>> producers;    ///< By op, of a stage.
};

} // namespace

StagePlans planStages(const FlowGraph &graph,
                      const std::vector<bool> &sources) {
  StageGraph stages(graph, sources);
  if (std::optional<uint32_t> late = stages.build())
    return {{}, late};
  stages.merge();
  return {stages.inOrder(), std::nullopt};
}

} // namespace smp::passes
