// SPDX-License-Identifier: Apache-2.0
#include "GraphLayout.h"
#include "Html.h"
#include "Words.h"
#include <algorithm>

namespace smp {

static constexpr int64_t kBoxWidth = 170, kBoxHeight = 20;
static constexpr int64_t kGapX = 14, kGapY = 14, kColumnGap = 46;
static constexpr int64_t kHeadHeight = 44;
static constexpr size_t kLabelCharacters = 26;

namespace {
class GraphDrawer {
public:
  GraphDrawer(const Program &program, const Entry &entry)
      : program(program), entry(entry), graph(entry.graph),
        layout(layOut(program, entry)) {
    int64_t x = kColumnGap; // Room for what goes back to the first column.
    for (const GraphLayout::Column &column : layout.columns) {
      lefts.push_back(x);
      if (column.width > 0)
        x += column.width * (kBoxWidth + kGapX) - kGapX + kColumnGap;
      height = std::max(height, kHeadHeight + int64_t(column.rows) *
                                                  (kBoxHeight + kGapY));
    }
    width = x;
  }

  std::string draw() const {
    std::string svg = svgBegin(width, height + 8);
    for (uint32_t c = 0; c < layout.columns.size(); ++c)
      if (layout.columns[c].width > 0)
        svg += head(c);
    for (const GraphLayout::Box &box : layout.boxes)
      for (uint32_t value : graph.ops[box.op].operands)
        if (layout.boxOf[value] != GraphLayout::kNoOp)
          svg += wire(layout.boxes[layout.boxOf[value]], box, value);
    for (const GraphLayout::Box &box : layout.boxes)
      svg += draw(box);
    return svg + "</svg>\n";
  }

private:
  int64_t left(const GraphLayout::Box &box) const {
    return lefts[box.column] + box.place * (kBoxWidth + kGapX);
  }
  static int64_t top(const GraphLayout::Box &box) {
    return kHeadHeight + box.row * (kBoxHeight + kGapY);
  }

  std::string head(uint32_t column) const {
    int64_t x = lefts[column];
    if (column == 0)
      return svgText(x, 14, "every device", "head");
    const Stage &stage = program.stages[entry.stages[column - 1]];
    return svgText(x, 14,
                   "stage " + std::to_string(column - 1) + " on partition " +
                       std::to_string(stage.partition),
                   "head") +
           svgText(x, 30,
                   formatSeconds(stage.predictedSeconds) + ", arena " +
                       formatBytes(stage.arenaBytes),
                   "label");
  }

  static const char *outlineOf(Origin origin) {
    switch (origin) {
    case Origin::User:
      return "class=\"op user\"";
    case Origin::Propagated:
      return "class=\"op propagated\"";
    case Origin::Solver:
      return "class=\"op solver\"";
    }
    return "";
  }

  std::string draw(const GraphLayout::Box &box) const {
    const GraphOp &op = graph.ops[box.op];
    std::string label = op.mnemonic;
    if (!op.name.empty())
      label += " " + op.name;
    if (label.size() > kLabelCharacters)
      label = label.substr(0, kLabelCharacters - 2) + "..";
    return svgBox(left(box), top(box), kBoxWidth, kBoxHeight,
                  colourOf(op.placement.partition), hover(op),
                  outlineOf(op.placement.origin)) +
           svgText(left(box) + 6, top(box) + 14, label, "label");
  }

  std::string hover(const GraphOp &op) const {
    std::string text = op.mnemonic + " " + op.name + "\npartition " +
                       wordOf(op.placement) + ", decided by " +
                       wordOf(op.placement.origin);
    for (uint32_t value : op.operands)
      text += "\ntakes " + describe(value);
    for (uint32_t value : op.results)
      text += "\nmakes " + describe(value);
    return text;
  }

  std::string describe(uint32_t value) const {
    const GraphValue &v = graph.values[value];
    return toString(v.type) + " " + v.name;
  }

  /// A line from an op to one that takes its result.
  std::string wire(const GraphLayout::Box &from, const GraphLayout::Box &to,
                   uint32_t value) const {
    bool crosses = from.column != to.column;
    return "<path d=\"" +
           (crosses ? detour(from, to, value) : curve(from, to)) +
           "\" class=\"" + (crosses ? "wire crossing" : "wire") + "\"><title>" +
           escapeHtml(describe(value)) + "</title></path>\n";
  }

  static int64_t centre(int64_t left) { return left + kBoxWidth / 2; }

  std::string curve(const GraphLayout::Box &from,
                    const GraphLayout::Box &to) const {
    auto point = [](int64_t x, int64_t y) {
      return std::to_string(x) + "," + std::to_string(y) + " ";
    };
    int64_t x0 = centre(left(from)), y0 = top(from) + kBoxHeight;
    int64_t x1 = centre(left(to)), y1 = top(to);
    return "M" + point(x0, y0) + "C" + point(x0, y0 + kGapY) +
           point(x1, y1 - kGapY) + point(x1, y1);
  }

  /// From one stage to another: between the rows to the gap before the column,
  /// along it, and between the rows again. Values keep apart in the gap.
  std::string detour(const GraphLayout::Box &from, const GraphLayout::Box &to,
                     uint32_t value) const {
    int64_t gap = lefts[to.column] - 6 - int64_t(value % 8) * 4;
    int64_t bottom = top(from) + kBoxHeight;
    return "M" + std::to_string(centre(left(from))) + " " +
           std::to_string(bottom) + "v" + std::to_string(kGapY / 2) + "H" +
           std::to_string(gap) + "V" + std::to_string(top(to) - kGapY / 2) +
           "H" + std::to_string(centre(left(to))) + "v" +
           std::to_string(kGapY / 2);
  }

  const Program &program;
  const Entry &entry;
  const Graph &graph;
  GraphLayout layout;
  std::vector<int64_t> lefts;
  int64_t width = 0, height = kHeadHeight;
};
} // namespace

std::string drawGraph(const Program &program, const Entry &entry) {
  if (entry.graph.ops.empty())
    return "<p>The program carries no graph of this entry.</p>\n";
  return GraphDrawer(program, entry).draw();
}

} // namespace smp
