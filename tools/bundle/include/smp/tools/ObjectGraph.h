// SPDX-License-Identifier: Apache-2.0
// What a program of TensorFlow calls the tensors of its checkpoint: the graph
// of its objects, TensorFlow's TrackableObjectGraph.

#ifndef SMP_TOOLS_OBJECTGRAPH_H
#define SMP_TOOLS_OBJECTGRAPH_H

#include "smp/base/Status.h"
#include <map>
#include <span>
#include <string_view>

namespace smp {

struct ObjectName {
  /// The way from the root: "model/layers/0/kernel". The value that an
  /// optimizer keeps for a variable is "optimizer/layers/0/kernel.momentum".
  /// What is no variable's value has its attribute's name after a dot:
  /// "table.keys".
  std::string path;
  std::string fullName; ///< Of the variable: "dense/kernel"; may be empty.
};

/// By key in the bundle, of every tensor that the graph has. A tensor that
/// several ways lead to has the shortest, of these the first.
StatusOr<std::map<std::string, ObjectName>>
readObjectGraph(std::string_view bytes);

/// A graph with a variable at each of the paths, which are unique: 'model/w' is
/// w of the root's model. Their keys are keyOfPath().
std::string formatObjectGraph(std::span<const std::string> paths);

/// The key of a variable's value: "model/w/.ATTRIBUTES/VARIABLE_VALUE".
std::string keyOfPath(std::string_view path);

} // namespace smp

#endif // SMP_TOOLS_OBJECTGRAPH_H
