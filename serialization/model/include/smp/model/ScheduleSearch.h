// SPDX-License-Identifier: Apache-2.0
// Looks for a training schedule that is short and holds no more than it may.

#ifndef SMP_MODEL_SCHEDULESEARCH_H
#define SMP_MODEL_SCHEDULESEARCH_H

#include "smp/model/Schedule.h"

namespace smp {

/// What tensors between stages take, and may take.
struct ChannelMemory {
  /// The tensors of some channels in a row, which all carry the same ones: each
  /// needs so many bytes on the partition that makes it, at as many places as
  /// the deepest of the channels has.
  struct Tensor {
    uint32_t channels = 1;
    uint64_t bytes = 0;
  };
  std::vector<Tensor> tensors; ///< Of all channels; empty: they take nothing.
  /// The most bytes, by partition; empty: any number.
  std::vector<uint64_t> most = {};
};

/// What tensors between stages take, by partition, with channels so deep.
std::vector<uint64_t> channelBytes(const PipelineShape &pipeline,
                                   const ChannelMemory &memory,
                                   const std::vector<uint32_t> &depths);

struct FoundSchedule {
  Schedule schedule;
  std::vector<uint32_t> depths; ///< By channel; with them it is proved.
  double seconds = 0;           ///< Of a step, at the costs of the options.
  /// What tensors take beyond what they may, all partitions together; 0: the
  /// limit is kept.
  uint64_t bytesOver = 0;
  uint64_t bytes = 0; ///< What they take, all partitions together.
};

/// Of simpleSchedule, interleavedSchedule and zeroBubbleSchedule, these with 1
/// to 2 p + 2 active microbatches for p partitions, which includes what is
/// usual for each pipeline that has a name, or as many as the options say: of
/// those that keep the limit, or are over it by least, the shortest, and of
/// these one that takes the least.
FoundSchedule bestNamedSchedule(const PipelineShape &pipeline,
                                const ScheduleOptions &options,
                                const ChannelMemory &memory);

/// Goes on from there: moves one run of a partition to another place in its
/// order, and keeps what is over the limit by less or, by as much, shorter, or
/// not much longer than what it had some moves before (late acceptance, Burke
/// and Bykov 2017). The result is over the limit by no more than the best named
/// schedule and, by as much, no longer; so where one of those keeps the limit
/// it does. Each of `rounds` tries one move. The same input gives the same
/// schedule. O(rounds * actions).
FoundSchedule searchSchedule(const PipelineShape &pipeline,
                             const ScheduleOptions &options,
                             const ChannelMemory &memory, uint32_t rounds);

} // namespace smp

#endif // SMP_MODEL_SCHEDULESEARCH_H
