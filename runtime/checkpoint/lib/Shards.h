// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_CHECKPOINT_SHARDS_H
#define SMP_CHECKPOINT_SHARDS_H

#include "smp/checkpoint/Sharding.h"

namespace smp {

/// toString(slice); empty when it is all of a tensor.
std::string specOf(const TensorSlice &slice, const Shape &shape);
/// Puts a slice of a tensor, all of which is here, into a shard.
void addTo(Shard &shard, const ShardableTensor &tensor,
           const TensorSlice &slice);

} // namespace smp

#endif // SMP_CHECKPOINT_SHARDS_H
