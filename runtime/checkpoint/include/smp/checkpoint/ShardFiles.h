// SPDX-License-Identifier: Apache-2.0
// Which file of a checkpoint has which part of a tensor.

#ifndef SMP_CHECKPOINT_SHARDFILES_H
#define SMP_CHECKPOINT_SHARDFILES_H

#include "smp/checkpoint/Sharding.h"

namespace smp {

/// What a file has of a tensor, which is borrowed.
struct ShardPart {
  const ShardableTensor *tensor;
  ShardTensor part;

  /// In the file: "w", or "w[0,4:2,3]" when it is not all of it.
  std::string name() const;
};
/// As the tensors were given, and the parts of each by offset.
using ShardFile = std::vector<ShardPart>;

/// Files of parameters, and of what else there is.
struct ShardFiles {
  std::vector<ShardFile> model, state;
};

/// Has the policy divide the tensors of one task after the other, in which they
/// are given, checks what it did (validateShards), and gives a shard a file of
/// each kind that it has. The tensors outlive the result.
StatusOr<ShardFiles>
divideIntoFiles(const ShardingCallback &sharding,
                const std::vector<ShardableTensor> &tensors);

} // namespace smp

#endif // SMP_CHECKPOINT_SHARDFILES_H
