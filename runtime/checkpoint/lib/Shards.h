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
bool isRowMajor(const ShardTensor &part);
/// Of a part, row-major: in `room` unless they are so already.
std::span<const std::byte> bytesOf(const ShardTensor &part,
                                   std::vector<std::byte> &room);

} // namespace smp

#endif // SMP_CHECKPOINT_SHARDS_H
