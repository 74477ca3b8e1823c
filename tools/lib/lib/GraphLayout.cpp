// SPDX-License-Identifier: Apache-2.0
#include "GraphLayout.h"
#include <algorithm>
#include <map>

namespace smp {

namespace {
class Layouter {
public:
  Layouter(const Program &program, const Entry &entry)
      : program(program), entry(entry), graph(entry.graph) {
    for (uint32_t s = 0; s < entry.stages.size(); ++s)
      for (const Launch &launch : program.stages[entry.stages[s]].launches)
        for (const std::string &name : launch.opNames)
          stageOfName.emplace(name, s);
    layout.columns.resize(1 + entry.stages.size());
    layout.boxOf.assign(graph.values.size(), GraphLayout::kNoOp);
  }

  GraphLayout layOut() {
    for (uint32_t o = 0; o < graph.ops.size(); ++o)
      if (graph.ops[o].mnemonic != "read" &&
          graph.ops[o].mnemonic != "constant")
        place(o);
    return std::move(layout);
  }

private:
  /// Calls `visit` with the boxes whose results an op takes.
  template <typename Visit>
  void eachOperand(const GraphOp &op, Visit visit) const {
    for (uint32_t value : op.operands)
      if (uint32_t box = layout.boxOf[value]; box != GraphLayout::kNoOp)
        visit(layout.boxes[box]);
  }

  bool isOn(uint32_t stage, int32_t partition) const {
    return int32_t(program.stages[entry.stages[stage]].partition) == partition;
  }

  /// The stage that launches the op, as far as names tell; else the stage of an
  /// operand, else the first on the op's partition.
  uint32_t columnOf(const GraphOp &op) const {
    int32_t partition = op.placement.partition;
    if (partition == Placement::kAll)
      return 0;
    auto named = stageOfName.find(op.name);
    if (named != stageOfName.end() && !op.name.empty())
      return named->second + 1;
    uint32_t column = 0;
    eachOperand(op, [&](const GraphLayout::Box &box) {
      if (box.column > column && isOn(box.column - 1, partition))
        column = box.column;
    });
    for (uint32_t s = 0; column == 0 && s < entry.stages.size(); ++s)
      if (isOn(s, partition))
        column = s + 1;
    return column;
  }

  void place(uint32_t index) {
    const GraphOp &op = graph.ops[index];
    GraphLayout::Box box{index, columnOf(op), 0, 0};
    eachOperand(op, [&](const GraphLayout::Box &operand) {
      if (operand.column == box.column)
        box.row = std::max(box.row, operand.row + 1);
    });
    box.place = used[{box.column, box.row}]++;
    GraphLayout::Column &column = layout.columns[box.column];
    column.rows = std::max(column.rows, box.row + 1);
    column.width = std::max(column.width, box.place + 1);
    for (uint32_t value : op.results)
      layout.boxOf[value] = uint32_t(layout.boxes.size());
    layout.boxes.push_back(box);
  }

  const Program &program;
  const Entry &entry;
  const Graph &graph;
  GraphLayout layout;
  std::map<std::string_view, uint32_t> stageOfName;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> used;
};
} // namespace

GraphLayout layOut(const Program &program, const Entry &entry) {
  return Layouter(program, entry).layOut();
}

} // namespace smp
