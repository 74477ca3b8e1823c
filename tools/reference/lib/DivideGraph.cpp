// SPDX-License-Identifier: Apache-2.0
#include "DivideGraph.h"
#include <algorithm>

namespace smp {

bool isOfUpdate(const GraphOp &op) {
  const auto found = op.attributes.find("smp.unit");
  if (found == op.attributes.end())
    return false;
  const auto *unit = std::get_if<std::string>(&found->second);
  return unit && *unit == "update";
}

DividedGraph divideGraph(const Graph &graph) {
  DividedGraph divided;
  for (Graph *part : {&divided.microbatch, &divided.update}) {
    part->values = graph.values;
    part->inputs = graph.inputs;
  }
  std::vector<bool> needed(graph.values.size()), once(graph.values.size());
  for (auto op = graph.ops.rbegin(); op != graph.ops.rend(); ++op) {
    const bool updates = isOfUpdate(*op);
    for (uint32_t result : op->results)
      once[result] = updates;
    if (updates || std::any_of(op->results.begin(), op->results.end(),
                               [&](uint32_t value) { return needed[value]; })) {
      for (uint32_t operand : op->operands)
        needed[operand] = true;
      divided.update.ops.push_back(*op);
    }
  }
  std::reverse(divided.update.ops.begin(), divided.update.ops.end());
  for (const GraphOp &op : graph.ops)
    if (!isOfUpdate(op))
      divided.microbatch.ops.push_back(op);
  for (uint32_t output : graph.outputs) {
    divided.isOnce.push_back(once[output]);
    (once[output] ? divided.update : divided.microbatch)
        .outputs.push_back(output);
  }
  return divided;
}

} // namespace smp
