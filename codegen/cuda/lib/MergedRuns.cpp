// SPDX-License-Identifier: Apache-2.0
// Merges runs that are longer than a block: each block has as many records of
// what two become as it holds, and finds out where in the two they are.

#include "Records.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

static constexpr int64_t kTile = SortStep::kTile;

namespace {
class RunMerger : RecordEmitter {
public:
  using RecordEmitter::RecordEmitter;
  void emitKernel();

private:
  void loadTile(Value base, Value split, Value count, const Index &diagonal);
  Value splitAt(Value diagonal, Value left, Value right, Value count);
};
} // namespace

/// How many of the first `diagonal` records of two runs, which begin at `left`
/// and `right`, are of the left one.
Value RunMerger::splitAt(Value diagonal, Value left, Value right, Value count) {
  const SmallVector<Value, 2> memory = handedBy(number - 1);
  Value zero = constant(0), one = constant(1), run = constant(step.sorted);
  Value low = sub(diagonal, least(diagonal, sub(count, least(count, run))));
  Value high = least(diagonal, least(count, run));
  const int64_t trips = llvm::Log2_64(uint64_t(step.sorted)) + 1;
  SmallVector<Value> split = emitter.loop(
      zero, constant(trips), 0, trips, {low, high},
      [&](Index, ValueRange bounds) {
        return emitter.branch(
            less(bounds[0], bounds[1]), bounds.getTypes(),
            [&]() -> SmallVector<Value> {
              Value middle =
                  make<arith::ShRUIOp>(add(bounds[0], bounds[1]), one);
              Value across = sub(sub(diagonal, one), middle);
              Value isLeft = isBefore(load(memory, add(left, middle)),
                                      load(memory, add(right, across)));
              return {pick(isLeft, add(middle, one), bounds[0]),
                      pick(isLeft, bounds[1], middle)};
            },
            [&]() -> SmallVector<Value> { return {bounds[0], bounds[1]}; });
      });
  ElementEmitter::keepLoop(split);
  return split[0];
}

/// A block's records of both runs, the left one's first, to their places.
void RunMerger::loadTile(Value base, Value split, Value count,
                         const Index &diagonal) {
  const SmallVector<Value, 2> memory = handedBy(number - 1);
  Value right =
      add(add(base, constant(step.sorted)), sub(emit(diagonal), split));
  Value left = add(base, split);
  SmallVector<Record> records;
  SmallVector<Value> begins, lengths, owns;
  for (int64_t i = 0; i < each; ++i) {
    Value at = emit(mine(i)), isLeft = less(at, count);
    Value own = pick(isLeft, at, sub(at, count));
    owns.push_back(own);
    begins.push_back(pick(isLeft, count, constant(0)));
    lengths.push_back(pick(isLeft, sub(constant(kTile), count), count));
    records.push_back(load(memory, add(pick(isLeft, left, right), own)));
    store(records.back(), slots, at);
  }
  kernel.barrier();
  SmallVector<Value> ranks =
      ranksOf(records, begins, lengths, constant(kTile),
              constant(llvm::Log2_64(uint64_t(kTile)) + 1));
  kernel.barrier();
  for (auto [record, own, rank] : llvm::zip(records, owns, ranks))
    store(record, slots, add(own, rank));
  kernel.barrier();
}

void RunMerger::emitKernel() {
  threads = kTile / kPerThread;
  each = kPerThread;
  thread = kernel.thread(threads);
  const auto tiles = int64_t(divideCeil(step.kept, kTile));
  block = kernel.block(0, plan.lines * tiles);
  shareSlots(kTile);
  Value splits = kernel.shared(b.getI32Type(), 2);
  Index line, tile, pair, inPair;
  emitter.space.divide(b, loc, block, tiles, line, tile);
  emitter.space.divide(b, loc, tile, 2 * step.sorted / kTile, pair, inPair);
  const Index first = pair * (2 * step.sorted), diagonal = inPair * kTile;
  Value base = emit(line * step.from + first);
  Value count =
      least(sub(constant(step.from), emit(first)), constant(2 * step.sorted));
  Type i32 = b.getI32Type();
  kernel.where(thread, 2, [&](const Index &end) {
    Value split = splitAt(emit(diagonal + end * kTile), base,
                          add(base, constant(step.sorted)), count);
    memref::StoreOp::create(b, loc,
                            arith::IndexCastUIOp::create(b, loc, i32, split),
                            splits, emit(end));
  });
  kernel.barrier();
  auto splitOf = [&](int64_t end) -> Value {
    Value split = memref::LoadOp::create(b, loc, splits, constant(end));
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), split);
  };
  Value split = splitOf(0);
  loadTile(base, split, sub(splitOf(1), split), diagonal);
  for (int64_t i = 0; i < each; ++i)
    kernel.where(tile * kTile + mine(i), step.kept, [&](const Index &place) {
      ElementEmitter::Scope scope(emitter);
      give(line, line, place, load(slots, emit(mine(i))));
    });
}

void emitMergedRuns(KernelFunction &kernel, const SortPlan &plan, size_t number,
                    const SortEnds &ends) {
  RunMerger(kernel, plan, number, ends).emitKernel();
}

} // namespace smp::codegen::cuda
