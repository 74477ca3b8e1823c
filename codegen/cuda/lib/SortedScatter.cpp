// SPDX-License-Identifier: Apache-2.0
// The last launch of a scatter whose updates are sorted by their rows. The
// first blocks have the long rows. Each of the others has some rows and some
// columns of them: a thread adds the updates of a row to its elements of it one
// after the other.

#include "SortedUpdates.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

/// Rows of a block, where they are not shorter than a warp.
static constexpr int64_t kRows = 64;
/// Updates that are read before they are added.
static constexpr int64_t kAhead = 4;

namespace {
class SortedScatterEmitter : SortedUpdates {
public:
  SortedScatterEmitter(KernelFunction &kernel, const Scatter &scatter)
      : SortedUpdates(kernel, scatter),
        vectorsAtOnce(std::min(
            kWarpThreads, int64_t(llvm::PowerOf2Ceil(uint64_t(vectors()))))),
        rowsAtOnce(kThreads / vectorsAtOnce),
        rows(std::max(rowsAtOnce,
                      std::min(kRows, int64_t(llvm::PowerOf2Ceil(
                                          uint64_t(scatter.rows)))))) {}
  void emit();

private:
  void emitBlock(const Index &thread, const Index &block);
  void findUpdates(const Index &thread, const Index &firstRow);
  void emitVector(const Index &row, const Index &vector, const Index &inBlock);
  void replace(const Index &row, const Index &vector, Value begin, Value end);
  /// Where the updates of row `inBlock` begin; those of the one before end.
  Value beginOf(const Index &inBlock);
  Value isShort(Value begin, Value end);

  const int64_t vectorsAtOnce, rowsAtOnce, rows; ///< Of a block.
  Value begins;
};
} // namespace

void SortedScatterEmitter::findUpdates(const Index &thread,
                                       const Index &firstRow) {
  for (int64_t first = 0; first <= rows; first += kThreads)
    kernel.where(thread + Index(first), rows + 1, [&](const Index &row) {
      Value count = arith::IndexCastUIOp::create(
          b, loc, b.getI32Type(), countBefore(valueOf(firstRow + row)));
      memref::StoreOp::create(b, loc, count, begins, valueOf(row));
    });
}

Value SortedScatterEmitter::beginOf(const Index &inBlock) {
  Value begin = memref::LoadOp::create(b, loc, begins, valueOf(inBlock));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), begin);
}

/// Whether the places from `begin` to `end` have no stretch.
Value SortedScatterEmitter::isShort(Value begin, Value end) {
  Value bits = constant(llvm::Log2_64(kStretch));
  Value stretch =
      make<arith::ShRUIOp>(add(begin, constant(2 * kStretch - 1)), bits);
  return compare(arith::CmpIPredicate::ule, end,
                 make<arith::ShLIOp>(stretch, bits));
}

/// Elements of a row that take those of its last update, if there is one.
void SortedScatterEmitter::replace(const Index &row, const Index &vector,
                                   Value begin, Value end) {
  Type type = computeType(scatter.type.getElementType());
  if (emitter.lanes > 1)
    type = VectorType::get({emitter.lanes}, type);
  Value value = emitter.branch(
      less(begin, end), type,
      [&]() -> SmallVector<Value> {
        return {update(sub(end, constant(1)), vector)};
      },
      [&]() -> SmallVector<Value> { return {element(row, vector)}; })[0];
  store(value, row, vector);
}

void SortedScatterEmitter::emitVector(const Index &row, const Index &vector,
                                      const Index &inBlock) {
  Value begin = beginOf(inBlock), end = beginOf(inBlock + 1);
  if (scatter.kind == ir::ScatterKind::Replace)
    return replace(row, vector, begin, end);
  emitter.branch(mayHaveLongRows() ? isShort(begin, end) : Value(), [&] {
    store(addAll(element(row, vector), begin, end, scatter.count, kAhead,
                 [&](const Index &place) {
                   return update(valueOf(place), vector);
                 }),
          row, vector);
  });
}

void SortedScatterEmitter::emitBlock(const Index &thread, const Index &block) {
  const auto parts = int64_t(divideCeil(vectors(), vectorsAtOnce));
  Index rowBlock, part, threadRow, threadVector;
  emitter.space.divide(b, loc, block, parts, rowBlock, part);
  emitter.space.divide(b, loc, thread, vectorsAtOnce, threadRow, threadVector);
  const Index firstRow = rowBlock * rows;
  begins = kernel.shared(b.getI32Type(), rows + 1);
  findUpdates(thread, firstRow);
  kernel.barrier();
  kernel.where(
      part * vectorsAtOnce + threadVector, vectors(), [&](const Index &vector) {
        emitter.loop(0, rows / rowsAtOnce, 1, [&](Index turn) {
          const Index inBlock = turn * rowsAtOnce + threadRow;
          kernel.where(firstRow + inBlock, scatter.rows, [&](const Index &row) {
            emitVector(row, vector, inBlock);
          });
        });
      });
}

void SortedScatterEmitter::emit() {
  const int64_t ofLongRows = longRowBlocks(kernel, scatter),
                ofRows = int64_t(divideCeil(scatter.rows, rows) *
                                 divideCeil(vectors(), vectorsAtOnce));
  const Index thread = kernel.thread(kThreads),
              block = kernel.block(0, ofLongRows + ofRows);
  kernel.wantRegisters();
  kernel.where(
      block, ofLongRows,
      [&](const Index &number) {
        emitLongRowBlock(kernel, scatter, thread, number);
      },
      [&] {
        Value number = valueOf(block - ofLongRows);
        emitBlock(thread, emitter.space.add(number, 0, ofRows - 1));
      });
}

void emitSortedScatter(KernelFunction &kernel, const Scatter &scatter) {
  SortedScatterEmitter(kernel, scatter).emit();
}

} // namespace smp::codegen::cuda
