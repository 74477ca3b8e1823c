// SPDX-License-Identifier: Apache-2.0
#include "StageNeeds.h"
#include "smp/model/Arena.h"
#include <algorithm>
#include <map>

namespace smp::passes {

namespace {

using Role = FlowGraph::Role;

class StageMeasure {
public:
  StageMeasure(const FlowGraph &graph, const std::vector<bool> &sources,
               const std::vector<uint32_t> &members)
      : graph(graph), sources(sources), members(members),
        isMember(graph.ops.size()), nextValue(uint32_t(graph.values.size())) {
    for (uint32_t op : members)
      isMember[op] = true;
  }

  StageNeeds run(const std::vector<uint32_t> &outputs) {
    for (uint32_t op : members)
      if (graph.ops[op].role == Role::Kernel)
        addKernel(graph.ops[op]);
      else
        needs.seconds += graph.ops[op].seconds;
    writeResults(outputs);
    steps.insert(steps.begin(), early.begin(), early.end());
    steps.insert(steps.end(), late.begin(), late.end());
    for (const Step &step : steps) {
      needs.seconds += step.seconds;
      for (uint32_t root : step.takes)
        addSource(root);
    }
    needs.arenaBytes = planSteps();
    return std::move(needs);
  }

private:
  /// A kernel of the stage; values are those that have memory.
  struct Step {
    std::vector<uint32_t> takes, makes;
    std::vector<bool> readsInPlace;
    double seconds = 0;
    std::vector<int64_t> temporaries = {}; ///< Bytes.
  };

  bool isInside(uint32_t value) const {
    const uint32_t maker = graph.values[value].maker;
    return maker != FlowGraph::kCaller && (isMember[maker] || sources[maker]);
  }

  uint32_t rootOf(uint32_t value) const {
    while (isInside(value) && graph.makerOf(value)->role == Role::Alias)
      value = graph.makerOf(value)->operands.front();
    return value;
  }

  /// The op of the stage that makes the value, or null.
  const FlowGraph::Op *makerOf(uint32_t root) const {
    return root < graph.values.size() && isInside(root) ? graph.makerOf(root)
                                                        : nullptr;
  }

  bool isMadeByKernel(uint32_t root) const {
    const FlowGraph::Op *maker = makerOf(root);
    return root >= graph.values.size() ||
           (maker && maker->role == Role::Kernel);
  }

  void addKernel(const FlowGraph::Op &op) {
    Step step{{}, op.results, op.readsInPlace, op.seconds, op.temporaries};
    for (uint32_t operand : op.operands)
      step.takes.push_back(rootOf(operand));
    for (uint32_t value : op.results)
      writerOf[value] = steps.size();
    steps.push_back(std::move(step));
  }

  /// A kernel that copies the root of the value; what it makes.
  uint32_t copy(uint32_t root, uint32_t value, std::vector<Step> &where) {
    const uint32_t made = nextValue++;
    originOf[made] = origin(root);
    where.push_back({{root}, {made}, {true}, graph.values[value].copySeconds});
    return made;
  }

  /// The value of the graph that the root is, or is a copy of.
  uint32_t origin(uint32_t root) const {
    auto found = originOf.find(root);
    return found == originOf.end() ? root : found->second;
  }

  /// Gives each value that leaves the stage or is assigned a kernel that writes
  /// it for that alone.
  void writeResults(const std::vector<uint32_t> &outputs) {
    std::vector<const FlowGraph::Op *> writes;
    for (uint32_t op : members)
      if (graph.ops[op].role == Role::Write) {
        writes.push_back(&graph.ops[op]);
        needs.assigned.insert(graph.ops[op].subject);
      }
    std::vector<uint32_t> given;
    for (uint32_t value : outputs) {
      const uint32_t root = rootOf(value);
      const FlowGraph::Op *maker = makerOf(root);
      // A variable's old value is saved before it is written.
      const bool isOld = maker && maker->role == Role::Read &&
                         needs.assigned.count(maker->subject);
      given.push_back(isOld ? copy(root, value, early) : root);
    }
    std::vector<uint32_t> assigned;
    for (const FlowGraph::Op *write : writes) {
      const uint32_t value = write->operands.front();
      const uint32_t root = rootOf(value);
      assigned.push_back(isMadeByKernel(root) ? root
                                              : copy(root, value, early));
    }
    for (size_t i = 0; i < writes.size(); ++i) {
      if (leaving.count(assigned[i]) ||
          !mayWrite(assigned[i], writes[i]->subject))
        assigned[i] = copy(assigned[i], writes[i]->operands.front(), late);
      leaving.insert(assigned[i]);
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      uint32_t root = given[i];
      if (!isMadeByKernel(root) || leaving.count(root))
        root = copy(root, outputs[i], late);
      leaving.insert(root);
    }
  }

  /// Whether the kernel that makes the value may write the variable where it
  /// lies: nobody reads the old value later.
  bool mayWrite(uint32_t value, uint32_t variable) const {
    auto writer = writerOf.find(value);
    const size_t from = writer == writerOf.end() ? 0 : writer->second;
    for (size_t i = from; i < steps.size(); ++i)
      for (size_t k = 0; k < steps[i].takes.size(); ++k) {
        const FlowGraph::Op *maker = makerOf(steps[i].takes[k]);
        if (!maker || maker->role != Role::Read || maker->subject != variable)
          continue;
        const bool isWriter = writer != writerOf.end() && i == from;
        if (!isWriter || !steps[i].readsInPlace[k])
          return false;
      }
    return true;
  }

  void addSource(uint32_t root) {
    const FlowGraph::Op *maker = makerOf(root);
    if (!maker)
      return;
    if (maker->role == Role::Read)
      needs.variables.insert(maker->subject);
    else if (maker->role == Role::Prepared)
      needs.prepared.insert(maker->subject);
    else if (maker->role == Role::Constant)
      needs.constants.insert(maker->subject);
  }

  int64_t planSteps() const {
    std::vector<LiveBuffer> live;
    std::map<uint32_t, size_t> bufferOf;
    std::set<uint32_t> taken; // What only others need is not made here.
    for (const Step &step : steps)
      taken.insert(step.takes.begin(), step.takes.end());
    for (uint32_t i = 0; i < steps.size(); ++i) {
      for (uint32_t value : steps[i].makes)
        if (!leaving.count(value) && taken.count(value)) {
          bufferOf[value] = live.size();
          live.push_back(
              {uint64_t(graph.values[origin(value)].bytes), i, i, 0});
        }
      for (uint32_t root : steps[i].takes)
        if (auto found = bufferOf.find(root); found != bufferOf.end())
          live[found->second].last = i;
    }
    for (uint32_t i = 0; i < steps.size(); ++i)
      for (int64_t bytes : steps[i].temporaries)
        live.push_back({uint64_t(bytes), i, i, 0});
    return int64_t(planArena(live));
  }

  const FlowGraph &graph;
  const std::vector<bool> &sources;
  const std::vector<uint32_t> &members;
  std::vector<bool> isMember;
  uint32_t nextValue; ///< Copies are values behind those of the graph.
  std::map<uint32_t, uint32_t> originOf; ///< Of copies.
  std::map<uint32_t, size_t> writerOf;   ///< The step that makes the value.
  std::vector<Step> early, steps, late;
  std::set<uint32_t> leaving; ///< What is not in the arena.
  StageNeeds needs;
};

} // namespace

StageNeeds needsOf(const FlowGraph &graph, const std::vector<bool> &sources,
                   const std::vector<uint32_t> &members,
                   const std::vector<uint32_t> &outputs) {
  StageNeeds needs = StageMeasure(graph, sources, members).run(outputs);
  needs.variables.insert(needs.assigned.begin(), needs.assigned.end());
  return needs;
}

} // namespace smp::passes
