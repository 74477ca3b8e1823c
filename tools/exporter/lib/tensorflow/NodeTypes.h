// SPDX-License-Identifier: Apache-2.0
// Which types TensorFlow wants to be told of its nodes.

#ifndef SMP_TOOLS_EXPORTER_NODETYPES_H
#define SMP_TOOLS_EXPORTER_NODETYPES_H

#include <array>
#include <string_view>

namespace smp::tensorflow {

/// Of one kind of nodes.
struct NodeTypes {
  /// What a node's result is.
  static constexpr int kBool = -1;

  /// The attribute that has the type of an operand; null: none.
  std::array<const char *, 3> operands = {};
  int result = 0; ///< Of the type of that operand, unless an attribute says it.
  /// The attribute that has the type of the last result; null: none.
  const char *resultAttribute = nullptr;
};

/// Fails an assertion for one that the exporter has no row for.
const NodeTypes &typesOf(std::string_view node);

} // namespace smp::tensorflow

#endif // SMP_TOOLS_EXPORTER_NODETYPES_H
