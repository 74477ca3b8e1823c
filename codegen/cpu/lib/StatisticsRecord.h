// SPDX-License-Identifier: Apache-2.0
// The statistics of a block of elements.

#ifndef SMP_CODEGEN_CPU_STATISTICSRECORD_H
#define SMP_CODEGEN_CPU_STATISTICSRECORD_H

#include "StatisticsWalk.h"

namespace smp::codegen::cpu {

/// Elements one after the other, in memory.
struct ElementBlock {
  mlir::Value memory;
  mlir::Type element;
  Index first;
  mlir::Value length; ///< An index, 1 to kStatisticsBlock.
  /// From each element to one that is fetched to a cache meanwhile.
  Index ahead = 0;
};

/// A record of the block, in the order of Statistic.
///
/// Elements of 32 bits and less are summed in f32, so many at a time that no
/// sum loses more than a few bits, and these sums in f64. Where a block has a
/// NaN, an infinity, or elements whose squares overflow or vanish in f32, its
/// elements are taken once more, in f64, and those that are no numbers are
/// counted.
StatisticsWalk::Values emitStatisticsRecord(ElementEmitter &emitter,
                                            const ElementBlock &block);

/// What the first walk over a block folds, and takes of elements `x`.
llvm::SmallVector<StatisticsWalk::Fold> firstFolds();
StatisticsWalk::Values firstTerms(ElementEmitter &emitter, mlir::Value x);

/// The states of whole vectors that a first walk gives, as f64 in memory.
void storeStates(ElementEmitter &emitter, mlir::ValueRange states,
                 mlir::Value memory);
/// The record that follows from these states, and whether another walk would
/// not tell better.
std::pair<StatisticsWalk::Values, mlir::Value>
emitRecordOfStates(ElementEmitter &emitter, const ElementBlock &block,
                   mlir::Value states);

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_STATISTICSRECORD_H
