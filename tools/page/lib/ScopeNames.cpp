// SPDX-License-Identifier: Apache-2.0
#include "ScopeNames.h"
#include "PageGraph.h"
#include <algorithm>
#include <optional>
#include <set>

namespace smp::page {

using Names = std::vector<std::string>;

static const std::string *textOf(const GraphOp &op, const char *attribute) {
  auto found = op.attributes.find(attribute);
  return found == op.attributes.end()
             ? nullptr
             : std::get_if<std::string>(&found->second);
}

std::string_view unitOf(const GraphOp &op) {
  const std::string *unit = textOf(op, "smp.unit");
  return unit ? std::string_view(*unit) : "forward";
}

/// As a person thinks of it: gradients of weights are computed beside those of
/// inputs.
static std::string phaseOf(const GraphOp &op) {
  const std::string_view unit = unitOf(op);
  return unit.starts_with("backward") ? "backward" : std::string(unit);
}

static Names partsOf(std::string_view name) {
  Names parts;
  for (size_t start = 0; start < name.size();) {
    const size_t end = std::min(name.find('/', start), name.size());
    if (end > start)
      parts.emplace_back(name.substr(start, end - start));
    start = end + 1;
  }
  return parts;
}

std::string lastPart(const std::string &name) {
  const Names parts = partsOf(name);
  return parts.empty() ? std::string() : parts.back();
}

namespace {

class ScopeNamer {
public:
  explicit ScopeNamer(const Graph &graph)
      : graph(graph), scopes(graph.ops.size()), makerOf(graph.values.size()),
        readersOf(graph.values.size()) {
    for (uint32_t i = 0; i < graph.ops.size(); ++i) {
      const GraphOp &op = graph.ops[i];
      hasPhases |= phaseOf(op) != "forward";
      if (const std::string *variable = textOf(op, "variable"))
        variables.insert(*variable);
      for (uint32_t value : op.results)
        makerOf[value] = i;
      for (uint32_t value : op.operands)
        readersOf[value].push_back(i);
    }
  }

  std::vector<Names> name() {
    const auto count = uint32_t(graph.ops.size());
    for (uint32_t i = 0; i < count; ++i)
      scopes[i] = ownScope(graph.ops[i]);
    for (uint32_t i = count; i-- > 0;)
      if (isOpen(i))
        scopes[i] = onlyScope(readers(graph.ops[i]));
    for (uint32_t i = 0; i < count; ++i)
      if (isOpen(i))
        scopes[i] = onlyScope(makers(graph.ops[i]));
    for (uint32_t i = 0; i < count; ++i) {
      if (scopes[i].empty())
        if (const std::string *whole = textOf(graph.ops[i], "smp.part_of"))
          scopes[i] = partsOf(*whole);
      if (hasPhases)
        scopes[i].insert(scopes[i].begin(), phaseOf(graph.ops[i]));
    }
    return std::move(scopes);
  }

private:
  /// From what the op itself says; nothing where others know better.
  Names ownScope(const GraphOp &op) const {
    const bool isUpdate = phaseOf(op) == "update";
    if (isUpdate && op.mnemonic == "assign")
      if (const std::string *variable = textOf(op, "variable"))
        return partsOf(variableOf(*variable));
    if (!op.name.empty())
      return partsOf(isUpdate ? variableOf(op.name) : op.name);
    const std::string *whole = textOf(op, "smp.part_of");
    return isUpdate || !whole ? Names() : partsOf(*whole);
  }

  /// The variable whose name is the end of this one, as of an optimizer's
  /// variable or a gradient; else the name.
  std::string variableOf(const std::string &name) const {
    for (size_t slash = name.find('/'); slash != std::string::npos;
         slash = name.find('/', slash + 1))
      if (std::string end = name.substr(slash + 1); variables.count(end))
        return end;
    return name;
  }

  bool isOpen(uint32_t op) const {
    return scopes[op].empty() && !isFree(graph.ops[op]);
  }

  std::vector<uint32_t> readers(const GraphOp &op) const {
    std::vector<uint32_t> result;
    for (uint32_t value : op.results)
      result.insert(result.end(), readersOf[value].begin(),
                    readersOf[value].end());
    return result;
  }

  std::vector<uint32_t> makers(const GraphOp &op) const {
    std::vector<uint32_t> result;
    for (uint32_t value : op.operands)
      if (auto maker = makerOf[value]; maker && !isFree(graph.ops[*maker]))
        result.push_back(*maker);
    return result;
  }

  /// That of all of them; nothing where they differ.
  Names onlyScope(const std::vector<uint32_t> &ops) const {
    const bool isOne =
        !ops.empty() && std::all_of(ops.begin(), ops.end(), [&](uint32_t op) {
          return scopes[op] == scopes[ops.front()];
        });
    return isOne ? scopes[ops.front()] : Names();
  }

  const Graph &graph;
  std::vector<Names> scopes; ///< By op.
  bool hasPhases = false;
  std::set<std::string> variables;
  std::vector<std::optional<uint32_t>> makerOf; ///< By value.
  std::vector<std::vector<uint32_t>> readersOf; ///< By value.
};

} // namespace

std::vector<Names> scopeNames(const Graph &graph) {
  return ScopeNamer(graph).name();
}

} // namespace smp::page
