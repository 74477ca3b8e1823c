// SPDX-License-Identifier: Apache-2.0
#include "Records.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace smp::codegen::cuda {

Record RecordEmitter::makeRecord(Value key, Value number) {
  Type i64 = b.getI64Type();
  if (!plan.isPacked())
    return {key, arith::IndexCastUIOp::create(b, loc, b.getI32Type(), number)};
  Value half = arith::ConstantIntOp::create(b, loc, i64, int64_t(32));
  Value high = shift(arith::ExtUIOp::create(b, loc, i64, key), half);
  return {make<arith::OrIOp>(
      high, arith::IndexCastUIOp::create(b, loc, i64, number))};
}

Index RecordEmitter::numberOf(const Record &record) {
  Value low = record.back();
  if (plan.isPacked())
    low = arith::TruncIOp::create(b, loc, b.getI32Type(), low);
  return emitter.space.add(
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), low), 0,
      plan.steps.front().from - 1);
}

Value RecordEmitter::isBefore(const Record &x, const Record &y) {
  Value keysDiffer = less(x[0], y[0]);
  if (plan.isPacked())
    return keysDiffer;
  Value isSame =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, x[0], y[0]);
  return make<arith::OrIOp>(keysDiffer,
                            make<arith::AndIOp>(isSame, less(x[1], y[1])));
}

Record RecordEmitter::load(ArrayRef<Value> memory, Value at) {
  Record record;
  for (Value part : memory)
    record.push_back(memref::LoadOp::create(b, loc, part, at));
  return record;
}

void RecordEmitter::store(const Record &record, ArrayRef<Value> memory,
                          Value at) {
  for (auto [value, part] : llvm::zip(record, memory))
    memref::StoreOp::create(b, loc, value, part, at);
}

SmallVector<Value, 2> RecordEmitter::handedBy(size_t step) {
  SmallVector<Value, 2> memory;
  for (const KernelBuffer &buffer : plan.given(step))
    memory.push_back(kernel.temporaryMemory(buffer.index));
  return memory;
}

void RecordEmitter::give(const Index &run, const Index &line,
                         const Index &place, const Record &record) {
  if (ends.take)
    return ends.take(line, place, numberOf(record));
  store(record, handedBy(number), emit(run * step.kept + place));
}

SmallVector<Value> RecordEmitter::ranksOf(ArrayRef<Record> records,
                                          ArrayRef<Value> begins,
                                          ArrayRef<Value> lengths, Value span,
                                          Value trips) {
  Value one = constant(1);
  SmallVector<Value> carried(records.size(), constant(0));
  carried.push_back(span);
  SmallVector<Value> ranks = emitter.loop(
      constant(0), trips, 0, SortStep::kTile, carried,
      [&](Index, ValueRange values) {
        Value width = values.back();
        SmallVector<Value> next;
        for (auto [i, record] : llvm::enumerate(records)) {
          Value further = add(values[i], width);
          Value at = sub(add(begins[i], further), one);
          if (!lengths.empty())
            at = least(at, constant(SortStep::kTile - 1));
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
  ElementEmitter::keepLoop(ranks);
  ranks.pop_back();
  return ranks;
}

SmallVector<Type> RecordEmitter::recordTypes() {
  if (plan.isPacked())
    return {b.getI64Type()};
  return {b.getI64Type(), b.getI32Type()};
}

void RecordEmitter::shareSlots(int64_t count) {
  for (Type type : recordTypes())
    slots.push_back(kernel.shared(type, count));
}

void emitSortStep(KernelFunction &kernel, const SortPlan &plan, size_t step,
                  const SortEnds &ends) {
  return plan.steps[step].kind == SortStep::Kind::Blocks
             ? emitSortedBlocks(kernel, plan, step, ends)
             : emitMergedRuns(kernel, plan, step, ends);
}

} // namespace smp::codegen::cuda
