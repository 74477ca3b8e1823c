// SPDX-License-Identifier: Apache-2.0
// A tensor whose parts are on the devices of a mesh.

#ifndef SMP_MODEL_SHARDEDVALUE_H
#define SMP_MODEL_SHARDEDVALUE_H

#include "smp/model/HostTensor.h"
#include "smp/model/Shards.h"

namespace smp {

/// What this process has of a tensor. Parts that layouts make equal are.
struct SMP_API ShardedValue {
  TensorType type; ///< Of the whole tensor.
  Layout layout;
  /// The shard of each local device of the mesh, in their order.
  std::vector<HostTensor> parts;

  /// Parts of the sizes that the layout says; fails where type and layout do
  /// not fit.
  static Expected<ShardedValue> zeros(TensorType type, Layout layout);
};

/// What is wrong with a value, or nothing: that type and layout fit, that there
/// is a part for each local device, and that it has the type and as many bytes
/// as the layout says.
SMP_API std::optional<std::string> checkValue(const ShardedValue &value);

} // namespace smp

#endif // SMP_MODEL_SHARDEDVALUE_H
