// SPDX-License-Identifier: Apache-2.0
#include "GraphData.h"
#include "smp/tools/Words.h"
#include <cmath>

namespace smp::page {

using Json = nlohmann::json;

/// A tenth of a pixel is enough.
static double rounded(double x) { return std::round(x * 10) / 10; }

static const char *wordOf(Box::Kind kind) {
  switch (kind) {
  case Box::Kind::Op:
    return "op";
  case Box::Kind::Scope:
    return "scope";
  case Box::Kind::Input:
    return "input";
  case Box::Kind::Output:
    return "output";
  case Box::Kind::From:
    return "from";
  case Box::Kind::To:
    return "to";
  }
  return "";
}

static Json opData(const GraphOp &op, const std::vector<uint32_t> &folded) {
  Json data = {{"mnemonic", op.mnemonic},
               {"name", op.name},
               {"partition", op.placement.partition},
               {"origin", smp::wordOf(op.placement.origin)},
               {"unit", std::string(unitOf(op))},
               {"takes", op.operands},
               {"makes", op.results}};
  if (!folded.empty())
    data["folded"] = folded;
  auto attribute = [&](const char *name, const char *key) {
    auto found = op.attributes.find(name);
    if (found == op.attributes.end())
      return;
    if (const auto *text = std::get_if<std::string>(&found->second))
      data[key] = *text;
    if (const auto *number = std::get_if<double>(&found->second))
      data[key] = *number;
  };
  attribute("variable", "variable");
  attribute("smp.part_of", "partOf");
  attribute("smp.pin_seconds", "pinSeconds");
  return data;
}

static Json wireData(const Wire &wire, const std::vector<Point> &points) {
  Json line = Json::array();
  for (const Point &point : points) {
    line.push_back(rounded(point.x));
    line.push_back(rounded(point.y));
  }
  return {{"from", wire.from},
          {"to", wire.to},
          {"values", wire.values},
          {"crosses", wire.crosses},
          {"points", line}};
}

static StatusOr<Json> scopeData(const Scope &scope, ScopeLayouter &layouter) {
  SMP_ASSIGN_OR_RETURN(const ScopeLayout layout, layouter.layOut(scope));
  Json boxes = Json::array(), wires = Json::array(), ops = Json::object();
  for (size_t i = 0; i < scope.boxes.size(); ++i) {
    const Box &box = scope.boxes[i];
    const ScopeLayout::Area &area = layout.boxes[i];
    boxes.push_back({{"kind", wordOf(box.kind)},
                     {"index", box.index},
                     {"label", box.label},
                     {"x", rounded(area.x)},
                     {"y", rounded(area.y)},
                     {"w", rounded(area.width)},
                     {"h", rounded(area.height)}});
  }
  for (size_t i = 0; i < scope.wires.size(); ++i)
    wires.push_back(wireData(scope.wires[i], layout.wires[i]));
  for (const auto &[partition, count] : scope.opsOn)
    ops[std::to_string(partition)] = count;
  return Json{{"name", scope.name},
              {"parent", scope.parent},
              {"w", rounded(layout.width)},
              {"h", rounded(layout.height)},
              {"ops", ops},
              {"boxes", boxes},
              {"wires", wires}};
}

StatusOr<Json> graphData(const Entry &entry, ScopeLayouter &layouter) {
  const PageGraph page = makePageGraph(entry);
  Json scopes = Json::array(), ops = Json::array(), values = Json::array();
  for (const Scope &scope : page.scopes) {
    SMP_ASSIGN_OR_RETURN(Json data, scopeData(scope, layouter));
    scopes.push_back(std::move(data));
  }
  for (size_t i = 0; i < entry.graph.ops.size(); ++i)
    ops.push_back(opData(entry.graph.ops[i], page.folded[i]));
  for (const GraphValue &value : entry.graph.values)
    values.push_back(toString(value.type) +
                     (value.name.empty() ? "" : " " + value.name));
  return Json{{"scopes", scopes}, {"ops", ops}, {"values", values}};
}

} // namespace smp::page
