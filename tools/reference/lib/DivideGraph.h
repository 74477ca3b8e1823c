// SPDX-License-Identifier: Apache-2.0
// What of a graph runs per microbatch, and what once per step.

#ifndef SMP_TOOLS_REFERENCE_DIVIDEGRAPH_H
#define SMP_TOOLS_REFERENCE_DIVIDEGRAPH_H

#include "smp/model/Graph.h"

namespace smp {

struct DividedGraph {
  Graph microbatch, update;
  /// By output of the whole: whether it is the next one of the update, or else
  /// of the microbatch.
  std::vector<bool> isOnce;
};

/// Whether the op runs once per step.
bool isOfUpdate(const GraphOp &op);

/// `graph` is sound. What the update uses of ops that run per microbatch is in
/// both: they depend on variables alone.
DividedGraph divideGraph(const Graph &graph);

} // namespace smp

#endif // SMP_TOOLS_REFERENCE_DIVIDEGRAPH_H
