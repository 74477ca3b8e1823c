// SPDX-License-Identifier: Apache-2.0
// The kernels of a sort. A run is merged with its neighbour by ranks: the place
// of a record is its place in its own run and the number of those in the other
// run that stand before it, which a binary search finds.

#include "Sorting.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

static constexpr int64_t kTile = SortStep::kTile;
/// Records of a thread.
static constexpr int64_t kPerThread = 4;
/// Short lines share a block until it has so many slots.
static constexpr int64_t kLeastSlots = 512;

namespace {
/// One integer, or a key and a number.
using Record = SmallVector<Value>;

class StepEmitter {
public:
  StepEmitter(KernelFunction &kernel, const SortPlan &plan, size_t number,
              const SortEnds &ends)
      : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
        loc(kernel.emitter.location), plan(plan), number(number),
        step(plan.steps[number]), ends(ends) {}
  void emit() {
    step.kind == SortStep::Kind::Blocks ? emitBlocks() : emitMerge();
  }

private:
  void emitBlocks();
  void loadSlots(int64_t perBlock);
  Record slotRecord(const Index &run, const Index &slot);
  void mergeLevel(Value level, int64_t width);
  void emitMerge();
  void loadTile(Value base, Value split, Value count, const Index &diagonal);
  Value splitAt(Value diagonal, Value left, Value right, Value count);

  /// What stands before each of `records` in the run of shared memory that
  /// begins at `begins`, found in `trips` halvings of `span`, which is the
  /// length of a run, but for those that `lengths` gives.
  SmallVector<Value> ranksOf(ArrayRef<Record> records, ArrayRef<Value> begins,
                             ArrayRef<Value> lengths, Value span, Value trips);
  void give(const Index &run, const Index &line, const Index &place,
            const Record &record);

  Record makeRecord(Value key, Value number);
  Index numberOf(const Record &record);
  Value isBefore(const Record &x, const Record &y);
  Record load(ArrayRef<Value> memory, Value at);
  void store(const Record &record, ArrayRef<Value> memory, Value at);
  SmallVector<Value, 2> handedBy(size_t step);
  SmallVector<Type, 2> recordTypes() {
    if (plan.isPacked())
      return {b.getI64Type()};
    return {b.getI64Type(), b.getI32Type()};
  }
  void shareSlots(int64_t count) {
    for (Type type : recordTypes())
      slots.push_back(kernel.shared(type, count));
  }

  template <typename Op>
  Value make(Value x, Value y) {
    return Op::create(b, loc, x, y);
  }
  Value add(Value x, Value y) { return make<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return make<arith::SubIOp>(x, y); }
  Value least(Value x, Value y) { return make<arith::MinUIOp>(x, y); }
  Value shift(Value x, Value bits) { return make<arith::ShLIOp>(x, bits); }
  Value less(Value x, Value y) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, x, y);
  }
  Value pick(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value constant(int64_t value) { return emitter.indexConstant(value); }
  Value emit(const Index &index) { return emitter.space.emit(b, loc, index); }
  /// Element `i` of this thread.
  Index mine(int64_t i) const { return thread + Index(i * threads); }

  KernelFunction &kernel;
  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  const SortPlan &plan;
  const size_t number;
  const SortStep &step;
  const SortEnds &ends;
  int64_t threads = 0, each = 0; ///< Of a block; records of each.
  int64_t held = 0;              ///< Records of a block.
  Index thread, block;
  SmallVector<Value, 2> slots; ///< Records of the block, in shared memory.
};
} // namespace

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

Record StepEmitter::makeRecord(Value key, Value number) {
  Type i64 = b.getI64Type();
  if (!plan.isPacked())
    return {key, arith::IndexCastUIOp::create(b, loc, b.getI32Type(), number)};
  Value half = arith::ConstantIntOp::create(b, loc, i64, int64_t(32));
  Value high = shift(arith::ExtUIOp::create(b, loc, i64, key), half);
  return {make<arith::OrIOp>(
      high, arith::IndexCastUIOp::create(b, loc, i64, number))};
}

Index StepEmitter::numberOf(const Record &record) {
  Value low = record.back();
  if (plan.isPacked())
    low = arith::TruncIOp::create(b, loc, b.getI32Type(), low);
  return emitter.space.add(
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), low), 0,
      plan.steps.front().from - 1);
}

Value StepEmitter::isBefore(const Record &x, const Record &y) {
  Value keysDiffer = less(x[0], y[0]);
  if (plan.isPacked())
    return keysDiffer;
  Value isSame =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[0], y[0]);
  return make<arith::OrIOp>(keysDiffer,
                            make<arith::AndIOp>(isSame, less(x[1], y[1])));
}

Record StepEmitter::load(ArrayRef<Value> memory, Value at) {
  Record record;
  for (Value part : memory)
    record.push_back(memref::LoadOp::create(b, loc, part, at));
  return record;
}

void StepEmitter::store(const Record &record, ArrayRef<Value> memory,
                        Value at) {
  for (auto [value, part] : llvm::zip(record, memory))
    memref::StoreOp::create(b, loc, value, part, at);
}

SmallVector<Value, 2> StepEmitter::handedBy(size_t step) {
  SmallVector<Value, 2> memory;
  for (const KernelBuffer &buffer : plan.given(step))
    memory.push_back(kernel.temporaryMemory(buffer.index));
  return memory;
}

void StepEmitter::give(const Index &run, const Index &line, const Index &place,
                       const Record &record) {
  if (ends.take)
    return ends.take(line, place, numberOf(record));
  store(record, handedBy(number), emit(run * step.kept + place));
}

SmallVector<Value> StepEmitter::ranksOf(ArrayRef<Record> records,
                                        ArrayRef<Value> begins,
                                        ArrayRef<Value> lengths, Value span,
                                        Value trips) {
  Value one = constant(1);
  SmallVector<Value> carried(records.size(), constant(0));
  carried.push_back(span);
  SmallVector<Value> ranks = emitter.loop(
      constant(0), trips, 0, kTile, carried, [&](Index, ValueRange values) {
        Value width = values.back();
        SmallVector<Value> next;
        for (auto [i, record] : llvm::enumerate(records)) {
          Value further = add(values[i], width);
          Value at = sub(add(begins[i], further), one);
          if (!lengths.empty())
            at = least(at, constant(kTile - 1));
          Value isFurther = isBefore(load(slots, at), record);
          if (!lengths.empty())
            isFurther = make<arith::AndIOp>(
                isFurther,
                arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule,
                                      further, lengths[i]));
          next.push_back(pick(isFurther, further, values[i]));
        }
        Value half = make<arith::ShRUIOp>(width, one);
        next.push_back(make<arith::MaxUIOp>(half, one));
        return next;
      });
  ranks.pop_back();
  return ranks;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// What is at `slot` of run number `run`, which may be beyond the last one.
Record StepEmitter::slotRecord(const Index &run, const Index &slot) {
  Index line, part;
  emitter.space.divide(b, loc, run, step.runs, line, part);
  const Index position = part * step.slots + slot;
  Value isThere;
  auto bounded = [&](const Index &index, int64_t bound) {
    if (emitter.space.range(index).second < bound)
      return index;
    Value value = emit(index), inside = less(value, constant(bound));
    isThere = isThere ? make<arith::AndIOp>(isThere, inside) : inside;
    return emitter.space.add(value, 0, bound - 1);
  };
  const Index lineAt = bounded(line, plan.lines),
              at = bounded(position, step.from);
  auto read = [&]() -> SmallVector<Value> {
    if (number > 0)
      return load(handedBy(number - 1), emit(lineAt * step.from + at));
    return makeRecord(ends.keyOf(lineAt, at), emit(at));
  };
  if (!isThere)
    return read();
  return emitter.branch(isThere, recordTypes(), read, [&] {
    Type type = plan.isPacked() ? b.getI32Type() : b.getI64Type();
    Value last = arith::ConstantIntOp::create(b, loc, type, int64_t(-1));
    return makeRecord(last, emit(position + Index(step.padding)));
  });
}

void StepEmitter::loadSlots(int64_t perBlock) {
  for (int64_t i = 0; i < each; ++i)
    kernel.where(mine(i), perBlock * step.slots, [&](const Index &at) {
      ElementEmitter::Scope scope(emitter);
      Index run, slot;
      emitter.space.divide(b, loc, at, step.slots, run, slot);
      store(slotRecord(block * perBlock + run, slot), slots, emit(at));
    });
}

/// Merges runs of 2^level records, of which the first `width` are there, run
/// after run; of what becomes of two so many are left, too.
void StepEmitter::mergeLevel(Value level, int64_t width) {
  const bool drops = width < step.slots;
  Value one = constant(1), bits = level, count = constant(held);
  if (drops) {
    bits = least(level, constant(llvm::Log2_64(uint64_t(width))));
    count = make<arith::ShRUIOp>(count, sub(level, bits));
  }
  Value run = shift(one, bits);
  auto place = [&]() -> SmallVector<Value> {
    SmallVector<Record> records;
    SmallVector<Value> begins, results, owns, runs;
    for (int64_t i = 0; i < each; ++i) {
      Value at = emit(mine(i));
      runs.push_back(make<arith::ShRUIOp>(at, bits));
      owns.push_back(sub(at, shift(runs[size_t(i)], bits)));
      begins.push_back(shift(make<arith::XOrIOp>(runs[size_t(i)], one), bits));
      records.push_back(load(slots, at));
    }
    Value half = make<arith::MaxUIOp>(make<arith::ShRUIOp>(run, one), one);
    SmallVector<Value> ranks =
        ranksOf(records, begins, {}, half, add(bits, one));
    Value room = least(shift(run, one), constant(width));
    for (size_t i = 0; i < size_t(each); ++i) {
      Value merged = add(owns[i], ranks[i]);
      Value isLeft = less(emit(mine(int64_t(i))), count);
      if (drops)
        isLeft = make<arith::AndIOp>(isLeft, less(merged, room));
      Value target =
          add(make<arith::MulIOp>(make<arith::ShRUIOp>(runs[i], one), room),
              merged);
      llvm::append_range(results, records[i]);
      results.append({target, isLeft});
    }
    return results;
  };
  SmallVector<Type> types;
  for (int64_t i = 0; i < each; ++i) {
    llvm::append_range(types, recordTypes());
    types.append({b.getIndexType(), b.getI1Type()});
  }
  // Threads without a record skip the search.
  SmallVector<Value> placed =
      emitter.branch(less(emit(thread), count), types, place, [&] {
        SmallVector<Value> none;
        for (Type type : types)
          none.push_back(
              arith::ConstantOp::create(b, loc, b.getZeroAttr(type)));
        return none;
      });
  kernel.barrier();
  const size_t perRecord = placed.size() / size_t(each);
  for (size_t i = 0; i < placed.size(); i += perRecord) {
    ArrayRef<Value> values = ArrayRef(placed).slice(i, perRecord);
    emitter.branch(values.back(), [&] {
      store(Record(values.drop_back(2)), slots, values.drop_back().back());
    });
  }
  kernel.barrier();
}

void StepEmitter::emitBlocks() {
  const int64_t allRuns = plan.lines * step.runs;
  int64_t perBlock = 1;
  while (perBlock * step.slots < kLeastSlots && perBlock < allRuns)
    perBlock *= 2;
  held = perBlock * step.slots;
  threads = std::max(held / kPerThread, kWarpThreads);
  each = std::max<int64_t>(held / threads, 1);
  thread = kernel.thread(threads);
  block = kernel.block(0, int64_t(divideCeil(allRuns, perBlock)));
  shareSlots(held);
  loadSlots(perBlock);
  kernel.barrier();
  const auto width = int64_t(llvm::PowerOf2Ceil(uint64_t(step.kept)));
  const int64_t first = llvm::Log2_64(uint64_t(step.sorted)),
                last = llvm::Log2_64(uint64_t(step.slots));
  emitter.loop(first, last, 1,
               [&](Index level) { mergeLevel(emit(level), width); });
  for (int64_t i = 0; i < each; ++i)
    kernel.where(mine(i), perBlock * step.kept, [&](const Index &at) {
      ElementEmitter::Scope scope(emitter);
      Index mineOf, place;
      emitter.space.divide(b, loc, at, step.kept, mineOf, place);
      kernel.where(block * perBlock + mineOf, allRuns, [&](const Index &run) {
        Index line, part;
        emitter.space.divide(b, loc, run, step.runs, line, part);
        give(run, line, place, load(slots, emit(mineOf * width + place)));
      });
    });
}

//===----------------------------------------------------------------------===//
// Merges
//===----------------------------------------------------------------------===//

/// How many of the first `diagonal` records of two runs, which begin at `left`
/// and `right`, are of the left one.
Value StepEmitter::splitAt(Value diagonal, Value left, Value right,
                           Value count) {
  const SmallVector<Value, 2> memory = handedBy(number - 1);
  Value zero = constant(0), one = constant(1), run = constant(step.sorted);
  Value low = sub(diagonal, least(diagonal, sub(count, least(count, run))));
  Value high = least(diagonal, least(count, run));
  const int64_t trips = llvm::Log2_64(uint64_t(step.sorted)) + 1;
  return emitter.loop(
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
      })[0];
}

/// A block's records of both runs, the left one's first, to their places.
void StepEmitter::loadTile(Value base, Value split, Value count,
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

void StepEmitter::emitMerge() {
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

void emitSortStep(KernelFunction &kernel, const SortPlan &plan, size_t step,
                  const SortEnds &ends) {
  StepEmitter(kernel, plan, step, ends).emit();
}

} // namespace smp::codegen::cuda
