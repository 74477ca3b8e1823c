// SPDX-License-Identifier: Apache-2.0
// What the kernels of a scatter have once its updates are sorted by their rows.

#ifndef SMP_CODEGEN_CUDA_LIB_SORTEDUPDATES_H
#define SMP_CODEGEN_CUDA_LIB_SORTEDUPDATES_H

#include "Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace smp::codegen::cuda {

/// Updates in the order of their rows, and of their numbers where those are the
/// same; and elements of the scatter's tensors by row and column, of which a
/// thread has as many neighbours as the kernel has lanes.
class SortedUpdates {
public:
  SortedUpdates(KernelFunction &kernel, const Scatter &scatter);

protected:
  using Value = mlir::Value;

  static constexpr int64_t kThreads = 256;
  /// A row whose updates have all places from one multiple of this to the next
  /// is long, and all threads of a block read for it; of others a thread has a
  /// vector.
  static constexpr int64_t kStretch = 64;

  /// Whether there may be long rows. Of updates that replace, the last decides.
  bool mayHaveLongRows() const {
    return scatter.kind != ir::ScatterKind::Replace && stretches() > 0;
  }
  /// Stretches between two multiples of kStretch that are places of updates.
  int64_t stretches() const { return (scatter.count - 1) / kStretch; }
  /// Vectors of a row.
  int64_t vectors() const { return scatter.slice / emitter.lanes; }

  /// How many updates fall on rows before `row`: the place of its first.
  Value countBefore(Value row);
  /// The row (i32) of the update at `place`; the last of all where an index of
  /// its was out of range.
  Value rowAt(Value place);
  /// The elements of vector number `vector` of a row, in the operand; of the
  /// update at `place`; and in the result.
  Value element(const Index &row, const Index &vector);
  Value update(Value place, const Index &vector);
  void store(Value sum, const Index &row, const Index &vector);
  /// The elements of vector number `number` in memory.
  Index laneOf(const Index &number) {
    return emitter.lanes == 1 ? number
                              : number * emitter.lanes + emitter.space.lane();
  }
  /// `sum` with updates `begin` to `end - 1`, at most `most`, in their order.
  /// `read` gives one of them; `ahead` of them are read before one is added.
  Value addAll(Value sum, Value begin, Value end, int64_t most, int64_t ahead,
               llvm::function_ref<Value(const Index &place)> read);

  template <typename Op>
  Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return make<mlir::arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<mlir::arith::SubIOp>(x, y); }
  Value compare(mlir::arith::CmpIPredicate predicate, Value x, Value y) {
    return mlir::arith::CmpIOp::create(b, loc, predicate, x, y);
  }
  Value less(Value x, Value y) {
    return compare(mlir::arith::CmpIPredicate::ult, x, y);
  }
  Value constant(int64_t value) { return emitter.indexConstant(value); }
  Value valueOf(const Index &index) {
    return emitter.space.emit(b, loc, index);
  }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  mlir::OpBuilder &b;
  mlir::Location loc;
  const Scatter &scatter;

private:
  /// Row and vector as a position in `shape`, whose first `outer` dimensions
  /// number the rows.
  Position positionOf(const Index &row, const Index &vector, size_t outer,
                      llvm::ArrayRef<int64_t> shape);
  Value elementAt(Value tensor, const Position &at);

  Value records;
};

/// Blocks of the kernel that sorted updates are given to their rows by which
/// are for long rows, and the block of that number among them.
int64_t longRowBlocks(KernelFunction &kernel, const Scatter &scatter);
void emitLongRowBlock(KernelFunction &kernel, const Scatter &scatter,
                      const Index &thread, const Index &block);

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_LIB_SORTEDUPDATES_H
