// SPDX-License-Identifier: Apache-2.0
#include "PageGraph.h"
#include "ScopeNames.h"
#include <algorithm>
#include <memory>

namespace smp::page {

bool isFree(const GraphOp &op) {
  return op.mnemonic == "read" || op.mnemonic == "constant" ||
         op.mnemonic == "reshape" || op.mnemonic == "broadcast";
}

namespace {

/// A box, and the scope that it is in.
struct Place {
  uint32_t scope = 0, box = 0;
};

class PageGraphMaker {
public:
  explicit PageGraphMaker(const Entry &entry)
      : entry(entry), graph(entry.graph) {}

  PageGraph make() {
    page.folded.resize(graph.ops.size());
    placeOf.resize(graph.ops.size());
    partitionOf.resize(graph.values.size(), Placement::kAll);
    page.scopes.emplace_back();
    addEnds(graph.inputs, entry.inputs, Box::Kind::Input, inputs);
    addOps();
    addEnds(graph.outputs, entry.outputs, Box::Kind::Output, outputs);
    for (uint32_t i = 0; i < graph.ops.size(); ++i)
      if (!isFree(graph.ops[i]))
        for (uint32_t value : graph.ops[i].operands)
          connect(value, placeOf[i], graph.ops[i].placement.partition,
                  page.folded[i]);
    for (uint32_t i = 0; i < graph.outputs.size(); ++i) {
      std::vector<uint32_t> folded;
      connect(graph.outputs[i], outputs[i], Placement::kAll, folded);
    }
    for (Scope &scope : page.scopes)
      for (Wire &wire : scope.wires) {
        std::sort(wire.values.begin(), wire.values.end());
        wire.values.erase(std::unique(wire.values.begin(), wire.values.end()),
                          wire.values.end());
      }
    return std::move(page);
  }

private:
  //===--------------------------------------------------------------------===//
  // Boxes
  //===--------------------------------------------------------------------===//

  void addEnds(const std::vector<uint32_t> &values,
               const std::vector<EntryTensor> &tensors, Box::Kind kind,
               std::vector<Place> &places) {
    for (uint32_t i = 0; i < values.size(); ++i) {
      places.push_back(addBox(0, kind, i, tensors[i].name));
      if (kind == Box::Kind::Input)
        makerOf[values[i]] = places.back();
    }
  }

  Place addBox(uint32_t scope, Box::Kind kind, uint32_t index,
               std::string label) {
    std::vector<Box> &boxes = page.scopes[scope].boxes;
    boxes.push_back({kind, index, std::move(label)});
    return {scope, uint32_t(boxes.size() - 1)};
  }

  /// Ops by their scopes' names, in the order of the first of each.
  struct Tree {
    std::vector<uint32_t> ops;
    std::vector<std::pair<std::string, std::unique_ptr<Tree>>> children;
    uint32_t count = 0; ///< Ops in it and its children.

    Tree &child(const std::string &name) {
      for (auto &[known, tree] : children)
        if (known == name)
          return *tree;
      children.emplace_back(name, std::make_unique<Tree>());
      return *children.back().second;
    }
  };

  void addOps() {
    const auto names = scopeNames(graph);
    Tree root;
    for (uint32_t i = 0; i < graph.ops.size(); ++i) {
      if (isFree(graph.ops[i])) {
        for (uint32_t result : graph.ops[i].results)
          viewOf[result] = i;
        continue;
      }
      Tree *tree = &root;
      ++tree->count;
      for (const std::string &name : names[i]) {
        tree = &tree->child(name);
        ++tree->count;
      }
      tree->ops.push_back(i);
    }
    fill(0, root);
  }

  void fill(uint32_t scope, const Tree &tree) {
    for (uint32_t op : tree.ops)
      addOp(scope, op);
    for (const auto &[name, child] : tree.children)
      addTree(scope, name, *child);
  }

  /// A scope, unless it would have one box alone.
  void addTree(uint32_t around, std::string name, const Tree &tree) {
    const Tree *inner = &tree;
    while (inner->ops.empty() && inner->children.size() == 1) {
      name += "/" + inner->children.front().first;
      inner = inner->children.front().second.get();
    }
    if (inner->count == 1)
      return addOp(around, inner->ops.front());
    const auto made = uint32_t(page.scopes.size());
    addBox(around, Box::Kind::Scope, made, name);
    boxOfScope.resize(made + 1);
    boxOfScope[made] = uint32_t(page.scopes[around].boxes.size() - 1);
    page.scopes.push_back({name, around, {}, {}, {}});
    fill(made, *inner);
  }

  void addOp(uint32_t scope, uint32_t index) {
    const GraphOp &op = graph.ops[index];
    std::string label = op.mnemonic;
    if (std::string last = lastPart(op.name);
        !last.empty() && last != label && last != page.scopes[scope].name)
      label += " " + last;
    placeOf[index] = addBox(scope, Box::Kind::Op, index, label);
    for (uint32_t around = scope;; around = page.scopes[around].parent) {
      ++page.scopes[around].opsOn[op.placement.partition];
      if (around == 0)
        break;
    }
    for (uint32_t value : op.results)
      makerOf[value] = placeOf[index];
    for (uint32_t value : op.results)
      partitionOf[value] = op.placement.partition;
  }

  //===--------------------------------------------------------------------===//
  // Wires
  //===--------------------------------------------------------------------===//

  /// From whoever makes the value, past ops that cost nothing, which are added
  /// to `folded`.
  void connect(uint32_t read, Place reader, int32_t partition,
               std::vector<uint32_t> &folded) {
    std::vector<uint32_t> pending{read};
    while (!pending.empty()) {
      const uint32_t value = pending.back();
      pending.pop_back();
      if (auto maker = makerOf.find(value); maker != makerOf.end()) {
        const int32_t from = partitionOf[value];
        wire(maker->second, reader, value,
             from != partition && from != Placement::kAll &&
                 partition != Placement::kAll);
        continue;
      }
      auto view = viewOf.find(value);
      if (view == viewOf.end() ||
          std::find(folded.begin(), folded.end(), view->second) != folded.end())
        continue;
      folded.push_back(view->second);
      const std::vector<uint32_t> &operands = graph.ops[view->second].operands;
      pending.insert(pending.end(), operands.begin(), operands.end());
    }
  }

  /// The scopes around a scope and itself, outermost first.
  std::vector<uint32_t> chainOf(uint32_t scope) const {
    std::vector<uint32_t> chain;
    for (; scope != 0; scope = page.scopes[scope].parent)
      chain.push_back(scope);
    chain.push_back(0);
    std::reverse(chain.begin(), chain.end());
    return chain;
  }

  /// A wire in the innermost scope that both are in; in the scopes inside it,
  /// to and from boxes that stand for what is outside.
  void wire(Place from, Place to, uint32_t value, bool crosses) {
    const std::vector<uint32_t> a = chainOf(from.scope), b = chainOf(to.scope);
    size_t common = 0;
    while (common + 1 < std::min(a.size(), b.size()) &&
           a[common + 1] == b[common + 1])
      ++common;
    auto boxIn = [&](const std::vector<uint32_t> &chain, size_t depth,
                     Place place) {
      return depth + 1 < chain.size() ? boxOfScope[chain[depth + 1]]
                                      : place.box;
    };
    const uint32_t giver = boxIn(a, common, from), taker = boxIn(b, common, to);
    const std::vector<Box> &boxes = page.scopes[a[common]].boxes;
    const std::string giverName = boxes[giver].label,
                      takerName = boxes[taker].label;
    join(a[common], giver, taker, value, crosses);
    for (size_t depth = common + 1; depth < a.size(); ++depth)
      join(a[depth], boxIn(a, depth, from),
           border(a[depth], Box::Kind::To, takerName), value, crosses);
    for (size_t depth = common + 1; depth < b.size(); ++depth)
      join(b[depth], border(b[depth], Box::Kind::From, giverName),
           boxIn(b, depth, to), value, crosses);
  }

  uint32_t border(uint32_t scope, Box::Kind kind, const std::string &name) {
    auto [found, isNew] = borders.try_emplace({scope, kind, name});
    if (isNew)
      found->second = addBox(scope, kind, 0, name).box;
    return found->second;
  }

  void join(uint32_t scope, uint32_t from, uint32_t to, uint32_t value,
            bool crosses) {
    std::vector<Wire> &wires = page.scopes[scope].wires;
    auto [found, isNew] = wireOf.try_emplace({scope, from, to}, wires.size());
    if (isNew)
      wires.push_back({from, to, {}, false});
    Wire &wire = wires[found->second];
    wire.values.push_back(value);
    wire.crosses |= crosses;
  }

  const Entry &entry;
  const Graph &graph;
  PageGraph page;
  std::vector<Place> inputs, outputs;
  std::vector<Place> placeOf;          ///< By op.
  std::map<uint32_t, Place> makerOf;   ///< By value, of boxes.
  std::map<uint32_t, uint32_t> viewOf; ///< By value: an op without a box.
  std::vector<int32_t> partitionOf;    ///< By value.
  std::vector<uint32_t> boxOfScope{0}; ///< In the scope around it.
  std::map<std::tuple<uint32_t, Box::Kind, std::string>, uint32_t> borders;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> wireOf;
};

} // namespace

PageGraph makePageGraph(const Entry &entry) {
  const Graph &graph = entry.graph;
  return graph.ops.empty() && graph.inputs.empty() && graph.outputs.empty()
             ? PageGraph()
             : PageGraphMaker(entry).make();
}

} // namespace smp::page
