// SPDX-License-Identifier: Apache-2.0
// Sorts runs that fit a block: pairs of single records are merged, then pairs
// of what they have become, until a run is one.

#include "Records.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

using llvm::divideCeil;

/// Short lines share a block until it has so many slots.
static constexpr int64_t kLeastSlots = 512;

namespace {
class BlockSorter : RecordEmitter {
public:
  using RecordEmitter::RecordEmitter;
  void emitKernel();

private:
  void loadSlots(int64_t perBlock);
  Record slotRecord(const Index &run, const Index &slot);
  void mergeLevel(Value level, int64_t width);

  int64_t held = 0; ///< Records of a block.
};
} // namespace

/// What is at `slot` of run number `run`, which may be beyond the last one.
Record BlockSorter::slotRecord(const Index &run, const Index &slot) {
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

void BlockSorter::loadSlots(int64_t perBlock) {
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
void BlockSorter::mergeLevel(Value level, int64_t width) {
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

void BlockSorter::emitKernel() {
  const int64_t allRuns = plan.lines * step.runs;
  int64_t perBlock = 1;
  while (perBlock * step.slots < kLeastSlots && perBlock < allRuns)
    perBlock *= 2;
  held = perBlock * step.slots;
  threads = std::max(held / kPerThread, kWarpThreads);
  each = std::max<int64_t>(held / threads, 1);
  thread = kernel.thread(threads);
  block = kernel.block(0, int64_t(divideCeil(allRuns, perBlock)));
  kernel.wantRegisters();
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

void emitSortedBlocks(KernelFunction &kernel, const SortPlan &plan,
                      size_t number, const SortEnds &ends) {
  BlockSorter(kernel, plan, number, ends).emitKernel();
}

} // namespace smp::codegen::cuda
