// SPDX-License-Identifier: Apache-2.0
#include "ScopeLayout.h"
#include <gvc.h>
#include <memory>
#include <string>

namespace smp::page {

/// Graphviz counts in points of 1/72 inch, from the bottom left corner.
static constexpr double kPointsPerInch = 72;

struct ScopeLayouter::Context {
  GVC_t *gvc = gvContext();
  ~Context() { gvFreeContext(gvc); }
};

ScopeLayouter::ScopeLayouter() : context(std::make_unique<Context>()) {
  agseterr(AGMAX); // What is wrong is said once, by us.
}

ScopeLayouter::~ScopeLayouter() = default;

namespace {

struct Size {
  double width, height;
};

Size sizeOf(Box::Kind kind) {
  switch (kind) {
  case Box::Kind::Op:
    return {150, 30};
  case Box::Kind::Scope:
    return {180, 46};
  case Box::Kind::Input:
  case Box::Kind::Output:
    return {130, 24};
  case Box::Kind::From:
  case Box::Kind::To:
    return {130, 18};
  }
  return {};
}

/// Sets an attribute; Graphviz takes strings that it does not change.
template <typename Object>
void set(Object *object, const char *name, const char *value) {
  agsafeset(object, const_cast<char *>(name), const_cast<char *>(value),
            const_cast<char *>(""));
}

/// A graph of Graphviz, and its layout.
class Drawing {
public:
  Drawing(GVC_t *gvc, const Scope &scope)
      : gvc(gvc), scope(scope),
        graph(agopen(const_cast<char *>(""), Agdirected, nullptr)) {
    set(graph, "ranksep", "0.35");
    set(graph, "nodesep", "0.2");
    // Ten times as many rounds as boxes at most, so that large scopes end.
    set(graph, "nslimit", "10");
    set(graph, "mclimit", scope.boxes.size() > 500 ? "0.3" : "1");
    for (uint32_t i = 0; i < scope.boxes.size(); ++i)
      addNode(i);
    putOnBorder(Box::Kind::From, "source");
    putOnBorder(Box::Kind::To, "sink");
    for (uint32_t i = 0; i < scope.wires.size(); ++i)
      edges.push_back(agedge(graph, nodes[scope.wires[i].from],
                             nodes[scope.wires[i].to],
                             const_cast<char *>(std::to_string(i).c_str()), 1));
    for (Agedge_t *edge : edges)
      set(edge, "arrowhead", "none");
  }

  ~Drawing() {
    gvFreeLayout(gvc, graph);
    agclose(graph);
  }
  Drawing(const Drawing &) = delete;
  Drawing &operator=(const Drawing &) = delete;

  StatusOr<ScopeLayout> layOut() {
    if (gvLayout(gvc, graph, "dot") != 0)
      return failedPrecondition(
          "Graphviz has no layout 'dot' here: install its libgvc6 and its "
          "plugins, and run `dot -c` as root");
    const boxf bounds = GD_bb(graph);
    ScopeLayout layout;
    layout.width = bounds.UR.x - bounds.LL.x;
    layout.height = bounds.UR.y - bounds.LL.y;
    auto point = [&](pointf p) {
      return Point{p.x - bounds.LL.x, bounds.UR.y - p.y};
    };
    for (Agnode_t *node : nodes) {
      const Point centre = point(ND_coord(node));
      const double width = ND_width(node) * kPointsPerInch,
                   height = ND_height(node) * kPointsPerInch;
      layout.boxes.push_back(
          {centre.x - width / 2, centre.y - height / 2, width, height});
    }
    for (Agedge_t *edge : edges) {
      std::vector<Point> &points = layout.wires.emplace_back();
      if (const splines *lines = ED_spl(edge); lines && lines->size > 0)
        for (int i = 0; i < lines->list[0].size; ++i)
          points.push_back(point(lines->list[0].list[i]));
    }
    return layout;
  }

private:
  void addNode(uint32_t index) {
    Agnode_t *node =
        agnode(graph, const_cast<char *>(std::to_string(index).c_str()), 1);
    const Size size = sizeOf(scope.boxes[index].kind);
    set(node, "shape", "box");
    set(node, "label", "");
    set(node, "fixedsize", "true");
    set(node, "width", std::to_string(size.width / kPointsPerInch).c_str());
    set(node, "height", std::to_string(size.height / kPointsPerInch).c_str());
    nodes.push_back(node);
  }

  void putOnBorder(Box::Kind kind, const char *rank) {
    Agraph_t *border = nullptr;
    for (uint32_t i = 0; i < scope.boxes.size(); ++i) {
      if (scope.boxes[i].kind != kind)
        continue;
      if (!border) {
        border = agsubg(graph, const_cast<char *>(rank), 1);
        set(border, "rank", rank);
      }
      agsubnode(border, nodes[i], 1);
    }
  }

  GVC_t *gvc;
  const Scope &scope;
  Agraph_t *graph;
  std::vector<Agnode_t *> nodes;
  std::vector<Agedge_t *> edges;
};

} // namespace

StatusOr<ScopeLayout> ScopeLayouter::layOut(const Scope &scope) {
  return Drawing(context->gvc, scope).layOut();
}

} // namespace smp::page
