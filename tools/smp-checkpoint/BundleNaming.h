// SPDX-License-Identifier: Apache-2.0
// What the tensors of a bundle are called.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_BUNDLENAMING_H
#define SMP_TOOLS_SMP_CHECKPOINT_BUNDLENAMING_H

#include "StoredTensors.h"
#include "smp/tools/ObjectGraph.h"
#include "smp/tools/TensorBundle.h"
#include <map>

namespace smp {

class BundleNaming {
public:
  /// Reads the bundle's graph of objects, when it has one.
  static StatusOr<BundleNaming> read(const TensorBundle &bundle,
                                     const std::string &prefix);

  /// The graph's name of a tensor; its key when the graph has none.
  std::string nameOf(const std::string &key, BundleNames names) const;

private:
  std::map<std::string, ObjectName> objects; // By key.
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_BUNDLENAMING_H
