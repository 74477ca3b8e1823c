// SPDX-License-Identifier: Apache-2.0
// An entry's graph as a page shows it: boxes in boxes.

#ifndef SMP_TOOLS_PAGE_PAGEGRAPH_H
#define SMP_TOOLS_PAGE_PAGEGRAPH_H

#include "smp/serialization/Program.h"
#include <map>

namespace smp::page {

struct Box {
  enum class Kind : uint8_t {
    Op,
    Scope,
    Input,  ///< Of the entry.
    Output, ///< Of the entry.
    From,   ///< A box around this scope, or beside one around it, that gives.
    To,     ///< One that takes.
  };
  Kind kind = Kind::Op;
  /// Into Graph::ops, PageGraph::scopes, or the entry's inputs or outputs.
  uint32_t index = 0;
  std::string label;
};

/// What goes from one box of a scope to another.
struct Wire {
  uint32_t from = 0, to = 0;    ///< Boxes.
  std::vector<uint32_t> values; ///< Into Graph::values; ascending.
  bool crosses = false;         ///< Some value goes to another partition.
};

/// Ops whose names begin alike, or that are parts of the same op.
struct Scope {
  std::string name; ///< What is added to the name of the scope around it.
  uint32_t parent = 0;
  std::vector<Box> boxes;
  std::vector<Wire> wires;
  std::map<int32_t, uint32_t> opsOn; ///< By partition, those inside.
};

struct PageGraph {
  std::vector<Scope> scopes; ///< The first is the entry. Empty: no graph.
  /// By op: ops that cost nothing, whose results it reads as its own; reads,
  /// constants, other views.
  std::vector<std::vector<uint32_t>> folded;
};

/// Whether the op is drawn with those that read it: it only names values, or
/// the same value several times.
bool isFree(const GraphOp &op);

/// "forward" ...: what the op is for. Graphs of old programs say it of ops of
/// the update alone.
std::string_view unitOf(const GraphOp &op);

PageGraph makePageGraph(const Entry &entry);

} // namespace smp::page

#endif // SMP_TOOLS_PAGE_PAGEGRAPH_H
