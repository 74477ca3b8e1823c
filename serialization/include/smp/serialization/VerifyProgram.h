// SPDX-License-Identifier: Apache-2.0
// What makes a program meaningful, checked once: after it nobody checks an
// index.

#ifndef SMP_SERIALIZATION_VERIFYPROGRAM_H
#define SMP_SERIALIZATION_VERIFYPROGRAM_H

#include "smp/base/Status.h"
#include "smp/model/Config.h"
#include "smp/serialization/Program.h"

namespace smp {

/// Limits that no sensible program reaches; they keep a reader's work bounded.
inline constexpr auto kMaxPartitions = uint32_t(kMostPartitions);
inline constexpr uint32_t kMaxMicrobatches = uint32_t(1) << 20;
inline constexpr uint64_t kMaxBytes = uint64_t(1) << 48;

/// Ok, or InvalidArgument with the first thing that is wrong, such as
/// "stages[3].launches[0].buffers[1].index is 7 of 4 variables".
///
/// After it: every index is in range and every enum known; names of variables,
/// entries, inputs and outputs are unique; sizes do not overflow, nor do the
/// sums of PartitionLayout; buffers lie
/// inside what they refer to; a stage input and an entry output has one edge
/// that feeds it, a stage output at most one that takes it, and edges go from
/// earlier stages to later ones with equal types; prepare stages have no
/// inputs, are in no entry, and each of their outputs is one prepared value,
/// used on its own partition; what kernels are known to write may be written;
/// graphs are in order and agree with their entry; the schedule of an entry
/// with fixed microbatches is proved, and all forwardOnly schedules of every
/// other, which has forward stages only; update stages take and give whole
/// tensors.
Status verifyProgram(const Program &program);

} // namespace smp

#endif // SMP_SERIALIZATION_VERIFYPROGRAM_H
