// SPDX-License-Identifier: Apache-2.0
// The statistics of a block of elements.

#ifndef SMP_CODEGEN_CPU_STATISTICSRECORD_H
#define SMP_CODEGEN_CPU_STATISTICSRECORD_H

#include "StatisticsWalk.h"

namespace smp::codegen::cpu {

/// A record of the block, one element at least, in the order of Statistic.
///
/// Elements of 32 bits and less are summed in f32, so many at a time that no
/// sum loses more than a few bits, and these sums in f64. Where a block has a
/// NaN, an infinity, or elements whose squares overflow or vanish in f32, its
/// elements are taken once more, in f64, and those that are no numbers are
/// counted.
StatisticsWalk::Values emitStatisticsRecord(ElementEmitter &emitter,
                                            const ElementBlock &block);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSRECORD_H
