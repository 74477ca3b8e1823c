// SPDX-License-Identifier: Apache-2.0
// Rows of a sorted scatter on which many updates fall. A block has a stretch of
// places; where it is the first that a row has all of, the block makes that
// row, or some columns of it: its threads read ahead to shared memory, and one
// per vector adds, in order.

#include "SortedUpdates.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

/// Of a row, that a block has: what GPUs fetch at once.
static constexpr int64_t kLineBytes = 128;
/// Of updates, that a block reads at a time.
static constexpr int64_t kStagedBytes = 16384;
/// Vectors that are read from shared memory before they are added.
static constexpr int64_t kAhead = 8;

namespace {
class LongRowEmitter : SortedUpdates {
public:
  LongRowEmitter(KernelFunction &kernel, const Scatter &scatter)
      : SortedUpdates(kernel, scatter),
        vectorBytes(
            emitter.lanes *
            storageType(scatter.type.getElementType()).getIntOrFloatBitWidth() /
            8),
        vectorsAtOnce(
            std::min(kLineBytes / vectorBytes,
                     int64_t(llvm::PowerOf2Ceil(uint64_t(vectors()))))),
        updatesAtOnce(kThreads / vectorsAtOnce),
        stagedUpdates(kStagedBytes / (vectorsAtOnce * vectorBytes)) {}

  int64_t blocks() const {
    return mayHaveLongRows() ? stretches() * parts() : 0;
  }
  void emitBlock(const Index &number, const Index &block);

private:
  /// Blocks that share a row.
  int64_t parts() const {
    return int64_t(divideCeil(vectors(), vectorsAtOnce));
  }
  Value startsLongRow(Value row, const Index &first);
  void emitRow(const Index &row, const Index &firstVector);
  void readAhead(Value first, Value last, const Index &vector);
  Value addStaged(Value sum, Value count);

  const int64_t vectorBytes;
  const int64_t vectorsAtOnce, updatesAtOnce; ///< Of a block.
  const int64_t stagedUpdates;                ///< That have room.
  Index thread, threadUpdate, threadVector;
  Value bounds, staged;
};
} // namespace

/// Whether `row`, that of the update at `first`, has all of this stretch and
/// not of the one before.
Value LongRowEmitter::startsLongRow(Value row, const Index &first) {
  using Predicate = arith::CmpIPredicate;
  Value place = valueOf(first), stretch = constant(kStretch);
  Value before = sub(make<arith::MaxUIOp>(place, stretch), stretch);
  Value isLong =
      compare(Predicate::eq, row, rowAt(valueOf(first + Index(kStretch))));
  Value isFirst =
      make<arith::OrIOp>(compare(Predicate::eq, place, constant(0)),
                         compare(Predicate::ne, row, rowAt(before)));
  Value isRow =
      less(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), row),
           constant(scatter.rows));
  return make<arith::AndIOp>(isRow, make<arith::AndIOp>(isLong, isFirst));
}

/// The updates from place `first` on to shared memory, as many as there is room
/// for; beyond `last` it again and again. All are read before one is written.
void LongRowEmitter::readAhead(Value first, Value last, const Index &vector) {
  SmallVector<Value> values;
  for (int64_t i = 0; i < stagedUpdates; i += updatesAtOnce) {
    Value place = add(first, valueOf(threadUpdate + Index(i)));
    values.push_back(update(make<arith::MinUIOp>(place, last), vector));
  }
  for (auto [i, value] : llvm::enumerate(values))
    emitter.store(value, staged, scatter.type.getElementType(),
                  laneOf(thread + Index(int64_t(i) * kThreads)));
}

/// `sum` with the first `count` updates that are in shared memory.
Value LongRowEmitter::addStaged(Value sum, Value count) {
  return addAll(
      sum, constant(0), count, stagedUpdates, kAhead, [&](const Index &place) {
        return emitter.load(staged, scatter.type.getElementType(),
                            laneOf(place * vectorsAtOnce + threadVector));
      });
}

void LongRowEmitter::emitRow(const Index &row, const Index &firstVector) {
  kernel.where(thread, 2, [&](const Index &end) {
    Value place = arith::IndexCastUIOp::create(b, loc, b.getI32Type(),
                                               countBefore(valueOf(row + end)));
    memref::StoreOp::create(b, loc, place, bounds, valueOf(end));
  });
  kernel.barrier();
  auto boundOf = [&](int64_t end) -> Value {
    Value place = memref::LoadOp::create(b, loc, bounds, constant(end));
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), place);
  };
  Value begin = boundOf(0), end = boundOf(1), last = sub(end, constant(1));
  const Index wanted = firstVector + threadVector;
  // Beyond the last vector that one is read again.
  const Index vector = emitter.space.add(
      make<arith::MinUIOp>(valueOf(wanted), constant(vectors() - 1)), 0,
      vectors() - 1);
  Value isAdding = less(valueOf(thread), constant(vectorsAtOnce));
  Value room = constant(stagedUpdates);
  Value turns = make<arith::DivUIOp>(
      add(sub(end, begin), constant(stagedUpdates - 1)), room);
  Value sum = emitter.loop(
      constant(0), turns, 0, divideCeil(scatter.count, stagedUpdates),
      element(row, vector), [&](Index turn, ValueRange sums) {
        Value first = add(begin, valueOf(turn * stagedUpdates));
        readAhead(first, last, vector);
        kernel.barrier();
        Value count = make<arith::MinUIOp>(sub(end, first), room);
        SmallVector<Value> next = emitter.branch(
            isAdding, sums.getTypes(),
            [&]() -> SmallVector<Value> { return {addStaged(sums[0], count)}; },
            [&] { return llvm::to_vector<6>(sums); });
        kernel.barrier();
        return next;
      })[0];
  emitter.branch(isAdding, [&] {
    kernel.where(wanted, vectors(),
                 [&](const Index &there) { store(sum, row, there); });
  });
}

void LongRowEmitter::emitBlock(const Index &number, const Index &block) {
  thread = number;
  emitter.space.divide(b, loc, thread, vectorsAtOnce, threadUpdate,
                       threadVector);
  bounds = kernel.shared(b.getI32Type(), 2);
  staged = kernel.shared(storageType(scatter.type.getElementType()),
                         stagedUpdates * vectorsAtOnce * emitter.lanes);
  Index stretch, part;
  emitter.space.divide(b, loc, block, parts(), stretch, part);
  const Index first = stretch * kStretch;
  Value row = rowAt(valueOf(first));
  emitter.branch(startsLongRow(row, first), [&] {
    Value found = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), row);
    emitRow(emitter.space.add(found, 0, scatter.rows - 1),
            part * vectorsAtOnce);
  });
}

int64_t longRowBlocks(KernelFunction &kernel, const Scatter &scatter) {
  return LongRowEmitter(kernel, scatter).blocks();
}

void emitLongRowBlock(KernelFunction &kernel, const Scatter &scatter,
                      const Index &thread, const Index &block) {
  LongRowEmitter(kernel, scatter).emitBlock(thread, block);
}

} // namespace smp::codegen::cuda
