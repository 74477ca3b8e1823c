// SPDX-License-Identifier: Apache-2.0
// One rank writes what all have.

#ifndef SMP_CHECKPOINT_GATHERTENSORS_H
#define SMP_CHECKPOINT_GATHERTENSORS_H

#include "RankLane.h"
#include "smp/checkpoint/Sharding.h"
#include <deque>

namespace smp {

/// Where a task is named: "/job:smp/task:1", or as ShardTensor::task is. Fails
/// where there is no such task, with those that there are.
StatusOr<uint32_t> rankOfTask(const std::string &task, uint32_t ranks);

/// Gives the first rank of the group the tensors of all, by rank; `room` has
/// the bytes of those of others. The others have none left.
Status gatherTensors(std::vector<ShardableTensor> &tensors, RankGroup &group,
                     std::deque<std::vector<std::byte>> &room);

} // namespace smp

#endif // SMP_CHECKPOINT_GATHERTENSORS_H
