// SPDX-License-Identifier: Apache-2.0
// An entry of a model with its weights, for formats of others.

#ifndef SMP_TOOLS_EXPORTEDMODEL_H
#define SMP_TOOLS_EXPORTEDMODEL_H

#include "smp/base/Status.h"
#include "smp/model/Graph.h"
#include <functional>

namespace smp {

struct ExportedModel {
  std::string entry; ///< Its name, for messages.
  Graph graph;       ///< Sound, as those of programs and of ir::exportGraph().
  /// What users address inputs and outputs by, in the order of the graph's.
  std::vector<std::string> inputs, outputs;
  /// The bytes of a variable, row-major; they stay as long as the function.
  std::function<StatusOr<std::span<const std::byte>>(
      const std::string &variable, const TensorType &type)>
      value;
  /// Paths of the files that it and its weights are read from.
  std::vector<std::string> files = {};
};

} // namespace smp

#endif // SMP_TOOLS_EXPORTEDMODEL_H
