// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/planning/FlowGraph.h"
#include <algorithm>
#include <map>

namespace smp::passes {

FlowUsers::FlowUsers(const FlowGraph &graph)
    : users(graph.values.size()), given(graph.values.size()) {
  for (uint32_t op = 0; op < graph.ops.size(); ++op)
    for (uint32_t operand : graph.ops[op].operands)
      users[operand].push_back(op);
  for (const FlowGraph::Result &result : graph.results)
    given[result.value] = true;
}

std::vector<bool> stageSources(const FlowGraph &graph) {
  using Role = FlowGraph::Role;
  std::map<uint32_t, Phase> assignedIn;
  for (const FlowGraph::Op &op : graph.ops)
    if (op.role == Role::Write && op.phase != Phase::Update)
      assignedIn[op.subject] = op.phase;
  const FlowUsers users(graph);
  auto isSent = [&](const FlowGraph::Op &read) {
    auto found = assignedIn.find(read.subject);
    if (found == assignedIn.end())
      return false;
    auto isElsewhere = [&](Phase phase) {
      return phase != found->second && phase != Phase::Update;
    };
    const uint32_t value = read.results.front();
    const std::vector<uint32_t> &takers = users.of(value);
    // What the entry gives is taken as forward work.
    return (users.isResult(value) && isElsewhere(Phase::Forward)) ||
           std::any_of(takers.begin(), takers.end(), [&](uint32_t user) {
             return isElsewhere(graph.ops[user].phase);
           });
  };
  std::vector<bool> sources;
  for (const FlowGraph::Op &op : graph.ops)
    // A variable is read anew also where a user placed the read.
    sources.push_back(op.role == Role::Read ? !isSent(op)
                                            : op.isSource() && !op.isPinned);
  return sources;
}

} // namespace smp::passes
