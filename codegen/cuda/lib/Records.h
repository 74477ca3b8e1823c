// SPDX-License-Identifier: Apache-2.0
// Records as the kernels of a sort have them.

#ifndef SMP_CODEGEN_CUDA_LIB_RECORDS_H
#define SMP_CODEGEN_CUDA_LIB_RECORDS_H

#include "Sorting.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace smp::codegen::cuda {

/// One integer, or a key and a number.
using Record = llvm::SmallVector<mlir::Value>;

/// What the kernels of a sort share: records, those of the block in shared
/// memory, and how two runs of them become one. The place of a record there is
/// its place in its own run and the number of those in the other run that stand
/// before it, which a binary search finds.
class RecordEmitter {
public:
  RecordEmitter(KernelFunction &kernel, const SortPlan &plan, size_t number,
                const SortEnds &ends)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), plan(plan), number(number),
        step(plan.steps[number]), ends(ends) {}

protected:
  using Value = mlir::Value;

  /// Records of a thread.
  static constexpr int64_t kPerThread = 4;

  Record makeRecord(Value key, Value number);
  Value isBefore(const Record &x, const Record &y);
  Record load(llvm::ArrayRef<Value> memory, Value at);
  void store(const Record &record, llvm::ArrayRef<Value> memory, Value at);
  llvm::SmallVector<mlir::Type> recordTypes();
  /// The temporaries that `step` writes.
  llvm::SmallVector<Value, 2> handedBy(size_t step);
  /// Hands on the record at `place` of run number `run`, which is of `line`.
  void give(const Index &run, const Index &line, const Index &place,
            const Record &record);
  /// Makes room for `count` records of the block.
  void shareSlots(int64_t count);

  /// How many stand before each of `records` in the run of shared memory that
  /// begins at `begins`, found in `trips` steps of which the first is `span`
  /// wide. Runs are twice as long, or just 1, but for those that `lengths`
  /// gives, which are shorter.
  llvm::SmallVector<Value> ranksOf(llvm::ArrayRef<Record> records,
                                   llvm::ArrayRef<Value> begins,
                                   llvm::ArrayRef<Value> lengths, Value span,
                                   Value trips);

  template <typename Op>
  Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value least(Value x, Value y) { return make<mlir::arith::MinUIOp>(x, y); }
  Value shift(Value x, Value bits) {
    return make<mlir::arith::ShLIOp>(x, bits);
  }
  Value less(Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::ult,
                                       x, y);
  }
  Value pick(Value condition, Value yes, Value no) {
    return mlir::arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value constant(int64_t value) { return emitter.indexConstant(value); }
  Value emit(const Index &index) { return emitter.space.emit(b, loc, index); }
  /// Element `i` of this thread.
  Index mine(int64_t i) const { return thread + Index(i * threads); }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const SortPlan &plan;
  const size_t number;
  const SortStep &step;
  const SortEnds &ends;
  int64_t threads = 0, each = 0; ///< Of a block; records of each.
  Index thread, block;
  llvm::SmallVector<Value, 2> slots; ///< Records of the block.

private:
  Index numberOf(const Record &record);
};

/// The kernels of the two kinds of steps.
void emitSortedBlocks(KernelFunction &kernel, const SortPlan &plan,
                      size_t number, const SortEnds &ends);
void emitMergedRuns(KernelFunction &kernel, const SortPlan &plan, size_t number,
                    const SortEnds &ends);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_RECORDS_H
