// SPDX-License-Identifier: Apache-2.0
// The last launch of a scatter whose updates are sorted by their rows: a block
// has some rows and some columns of them. A thread adds the updates of its row
// one after the other; where a row has many of them, all threads of the block
// read ahead for those that add.

#include "Scatter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/ir/Tensors.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

static constexpr int64_t kThreads = 256;
static constexpr int64_t kMostColumns = 32;
/// Rows of a block, where they are not shorter than a warp.
static constexpr int64_t kRows = 64;
/// From so many updates on a row is a block's.
static constexpr int64_t kManyUpdates = 64;
/// Elements of updates that a block reads at a time.
static constexpr int64_t kStaged = 4096;
/// Of which so many are read from shared memory before they are added.
static constexpr int64_t kAhead = 8;

namespace {
class SortedScatterEmitter {
public:
  SortedScatterEmitter(KernelFunction &kernel, const Scatter &scatter)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), scatter(scatter),
        columns(std::min(kMostColumns,
                         int64_t(llvm::PowerOf2Ceil(uint64_t(scatter.slice))))),
        rowsAtOnce(kThreads / columns),
        rows(std::max(rowsAtOnce,
                      std::min(kRows, int64_t(llvm::PowerOf2Ceil(
                                          uint64_t(scatter.rows)))))) {}
  void emit();

private:
  void findUpdates();
  Value countBefore(Value row);
  void emitRow(const Index &inBlock);
  void emitLongRow(const Index &inBlock);
  void readAhead(Value first, Value last, const Index &column);
  Value addStaged(Value sum, Value count);
  Value element(const Index &row, const Index &column);
  Value update(Value place, const Index &column);
  void store(Value sum, const Index &row, const Index &column);
  /// Where the updates of row `inBlock` begin; those of the one before end.
  Value beginOf(const Index &inBlock);
  Position positionOf(const Index &row, const Index &column, size_t outer,
                      ArrayRef<int64_t> shape);

  template <typename Op>
  Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  }
  Value constant(int64_t value) { return emitter.indexConstant(value); }
  Value emit(const Index &index) { return emitter.space.emit(b, loc, index); }
  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const Scatter &scatter;
  const int64_t columns, rowsAtOnce, rows; ///< Of a block.
  Index thread, threadRow, threadColumn, firstRow, firstColumn;
  Value records, begins, staged;
};
} // namespace

/// How many updates fall on rows before `row`.
Value SortedScatterEmitter::countBefore(Value row) {
  Type i64 = b.getI64Type();
  Value key = make<arith::ShLIOp>(
      arith::IndexCastUIOp::create(b, loc, i64, row),
      arith::ConstantIntOp::create(b, loc, i64, int64_t(32)));
  const int64_t bits = llvm::Log2_64(uint64_t(scatter.count));
  Value one = constant(1), count = constant(scatter.count);
  return emitter.loop(
      0, bits + 1, 1, {constant(0), constant(int64_t(1) << bits)},
      [&](Index, ValueRange carried) -> SmallVector<Value> {
        Value further = make<arith::AddIOp>(carried[0], carried[1]);
        Value at =
            make<arith::SubIOp>(make<arith::MinUIOp>(further, count), one);
        Value record = memref::LoadOp::create(b, loc, records, at);
        Value isFurther = make<arith::AndIOp>(
            less(record, key),
            arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, further,
                                  count));
        return {arith::SelectOp::create(b, loc, isFurther, further, carried[0]),
                make<arith::ShRUIOp>(carried[1], one)};
      })[0];
}

void SortedScatterEmitter::findUpdates() {
  for (int64_t first = 0; first <= rows; first += kThreads)
    kernel.where(thread + Index(first), rows + 1, [&](const Index &row) {
      Value count = arith::IndexCastUIOp::create(
          b, loc, b.getI32Type(), countBefore(emit(firstRow + row)));
      memref::StoreOp::create(b, loc, count, begins, emit(row));
    });
}

Value SortedScatterEmitter::beginOf(const Index &inBlock) {
  Value begin = memref::LoadOp::create(b, loc, begins, emit(inBlock));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), begin);
}

/// Row and column as a position in `shape`, whose first `outer` dimensions
/// number the rows.
Position SortedScatterEmitter::positionOf(const Index &row, const Index &column,
                                          size_t outer,
                                          ArrayRef<int64_t> shape) {
  Position at = emitter.split(row, shape.take_front(outer));
  at.append(emitter.split(column, shape.drop_front(outer)));
  return at;
}

Value SortedScatterEmitter::element(const Index &row, const Index &column) {
  return emitter.element(
      scatter.op->getOperand(0),
      positionOf(row, column, scatter.rowDims, scatter.type.getShape()));
}

void SortedScatterEmitter::store(Value sum, const Index &row,
                                 const Index &column) {
  kernel.storeResult(
      0, sum,
      positionOf(row, column, scatter.rowDims, scatter.type.getShape()));
}

/// What the update at `place` in their order has for `column`.
Value SortedScatterEmitter::update(Value place, const Index &column) {
  Value record = memref::LoadOp::create(b, loc, records, place);
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), record);
  const Index number = emitter.space.add(
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), low), 0,
      scatter.count - 1);
  return emitter.element(scatter.op->getOperand(2),
                         positionOf(number, column, scatter.updateDims,
                                    scatter.updates.getShape()));
}

/// A row of this thread, unless it is one for all threads.
void SortedScatterEmitter::emitRow(const Index &inBlock) {
  kernel.where(firstRow + inBlock, scatter.rows, [&](const Index &row) {
    kernel.where(
        firstColumn + threadColumn, scatter.slice, [&](const Index &column) {
          Value begin = beginOf(inBlock), end = beginOf(inBlock + 1);
          if (scatter.kind == ir::ScatterKind::Replace) {
            // The last one decides.
            Value value = emitter.branch(
                less(begin, end), computeType(scatter.type.getElementType()),
                [&]() -> SmallVector<Value> {
                  return {
                      update(make<arith::SubIOp>(end, constant(1)), column)};
                },
                [&]() -> SmallVector<Value> {
                  return {element(row, column)};
                })[0];
            return store(value, row, column);
          }
          emitter.branch(
              less(make<arith::SubIOp>(end, begin), constant(kManyUpdates)),
              [&] {
                Value sum = emitter.loop(
                    begin, end, 0, scatter.count, element(row, column),
                    [&](Index place, ValueRange sums) -> SmallVector<Value> {
                      return {scatter.combine(emitter, sums[0],
                                              update(emit(place), column))};
                    })[0];
                store(sum, row, column);
              });
        });
  });
}

/// The updates from place `first` on to shared memory, as many as there is room
/// for; beyond `last` it again and again. All are read before one is written.
void SortedScatterEmitter::readAhead(Value first, Value last,
                                     const Index &column) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < kStaged / kThreads; ++i) {
    Value place =
        make<arith::AddIOp>(first, emit(threadRow + Index(i * rowsAtOnce)));
    values.push_back(update(make<arith::MinUIOp>(place, last), column));
  }
  for (auto [i, value] : llvm::enumerate(values))
    emitter.store(value, staged, scatter.type.getElementType(),
                  thread + Index(int64_t(i) * kThreads));
}

/// `sum` with the first `count` updates that are in shared memory, some of
/// which are read before they are needed.
Value SortedScatterEmitter::addStaged(Value sum, Value count) {
  auto read = [&](Index place) {
    return emitter.load(staged, scatter.type.getElementType(),
                        place * columns + threadColumn);
  };
  const int64_t most = kStaged / columns;
  Value bits = constant(llvm::Log2_64(kAhead));
  Value turns = make<arith::ShRUIOp>(count, bits);
  sum =
      emitter.loop(constant(0), turns, 0, std::max<int64_t>(most / kAhead, 1),
                   sum, [&](Index turn, ValueRange sums) -> SmallVector<Value> {
                     SmallVector<Value> values;
                     for (int64_t i = 0; i < kAhead; ++i)
                       values.push_back(read(turn * kAhead + Index(i)));
                     Value next = sums[0];
                     for (Value value : values)
                       next = scatter.combine(emitter, next, value);
                     return {next};
                   })[0];
  return emitter.loop(make<arith::ShLIOp>(turns, bits), count, 0, most, sum,
                      [&](Index place, ValueRange sums) -> SmallVector<Value> {
                        return {scatter.combine(emitter, sums[0], read(place))};
                      })[0];
}

/// A row by all threads of the block.
void SortedScatterEmitter::emitLongRow(const Index &inBlock) {
  const Index row =
      emitter.space.add(emit(firstRow + inBlock), 0, scatter.rows - 1);
  const int64_t most = kStaged / columns;
  Value begin = beginOf(inBlock), end = beginOf(inBlock + 1);
  Value last = make<arith::SubIOp>(end, constant(1));
  // Beyond the last column that one is read again.
  Value wanted = emit(firstColumn + threadColumn);
  const Index column = emitter.space.add(
      make<arith::MinUIOp>(wanted, constant(scatter.slice - 1)), 0,
      scatter.slice - 1);
  Value isAdding = less(emit(thread), constant(columns));
  Value turns = make<arith::DivUIOp>(
      make<arith::AddIOp>(make<arith::SubIOp>(end, begin), constant(most - 1)),
      constant(most));
  Value sum = emitter.loop(
      constant(0), turns, 0, divideCeil(scatter.count, most),
      element(row, column), [&](Index turn, ValueRange sums) {
        Value first = make<arith::AddIOp>(begin, emit(turn * most));
        readAhead(first, last, column);
        kernel.barrier();
        Value count = make<arith::MinUIOp>(make<arith::SubIOp>(end, first),
                                           constant(most));
        SmallVector<Value> next = emitter.branch(
            isAdding, sums.getTypes(),
            [&]() -> SmallVector<Value> { return {addStaged(sums[0], count)}; },
            [&] { return llvm::to_vector<6>(sums); });
        kernel.barrier();
        return next;
      })[0];
  emitter.branch(isAdding, [&] {
    emitter.branch(less(wanted, constant(scatter.slice)),
                   [&] { store(sum, row, column); });
  });
}

void SortedScatterEmitter::emit() {
  const SortPlan sort = scatter.sort();
  records =
      kernel.temporaryMemory(sort.given(sort.steps.size() - 1).front().index);
  thread = kernel.thread(kThreads);
  const auto chunks = int64_t(divideCeil(scatter.slice, columns));
  const Index block =
      kernel.block(0, int64_t(divideCeil(scatter.rows, rows)) * chunks);
  Index rowBlock, chunk;
  emitter.space.divide(b, loc, block, chunks, rowBlock, chunk);
  emitter.space.divide(b, loc, thread, columns, threadRow, threadColumn);
  firstRow = rowBlock * rows;
  firstColumn = chunk * columns;
  begins = kernel.shared(b.getI32Type(), rows + 1);
  findUpdates();
  kernel.barrier();
  emitter.loop(0, rows / rowsAtOnce, 1,
               [&](Index turn) { emitRow(turn * rowsAtOnce + threadRow); });
  if (scatter.kind == ir::ScatterKind::Replace || scatter.count < kManyUpdates)
    return;
  staged = kernel.shared(storageType(scatter.type.getElementType()), kStaged);
  Value all = make<arith::SubIOp>(beginOf(rows), beginOf(0));
  Value many = constant(kManyUpdates - 1);
  emitter.branch(less(many, all), [&] {
    emitter.loop(0, rows, 1, [&](Index row) {
      emitter.branch(
          less(many, make<arith::SubIOp>(beginOf(row + 1), beginOf(row))),
          [&] { emitLongRow(row); });
    });
  });
}

void emitSortedScatter(KernelFunction &kernel, const Scatter &scatter) {
  SortedScatterEmitter(kernel, scatter).emit();
}

} // namespace smp::codegen::cuda
