// SPDX-License-Identifier: Apache-2.0
#include "SortedUpdates.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace smp::codegen::cuda {

SortedUpdates::SortedUpdates(KernelFunction &kernel, const Scatter &scatter)
    : kernel(kernel), emitter(kernel.emitter), b(kernel.builder),
      loc(kernel.emitter.location), scatter(scatter) {
  const SortPlan sort = scatter.sort();
  records =
      kernel.temporaryMemory(sort.given(sort.steps.size() - 1).front().index);
}

Value SortedUpdates::countBefore(Value row) {
  Type i64 = b.getI64Type();
  Value key = make<arith::ShLIOp>(
      arith::IndexCastUIOp::create(b, loc, i64, row),
      arith::ConstantIntOp::create(b, loc, i64, int64_t(32)));
  const int64_t bits = llvm::Log2_64(uint64_t(scatter.count));
  Value one = constant(1), count = constant(scatter.count);
  SmallVector<Value> found = emitter.loop(
      0, bits + 1, 1, {constant(0), constant(int64_t(1) << bits)},
      [&](Index, ValueRange carried) -> SmallVector<Value> {
        Value further = add(carried[0], carried[1]);
        Value at = sub(make<arith::MinUIOp>(further, count), one);
        Value record = memref::LoadOp::create(b, loc, records, at);
        Value isFurther = make<arith::AndIOp>(
            less(record, key),
            compare(arith::CmpIPredicate::ule, further, count));
        return {arith::SelectOp::create(b, loc, isFurther, further, carried[0]),
                make<arith::ShRUIOp>(carried[1], one)};
      });
  ElementEmitter::keepLoop(found);
  return found[0];
}

Value SortedUpdates::rowAt(Value place) {
  Value record = memref::LoadOp::create(b, loc, records, place);
  Value half =
      arith::ConstantIntOp::create(b, loc, b.getI64Type(), int64_t(32));
  return arith::TruncIOp::create(b, loc, b.getI32Type(),
                                 make<arith::ShRUIOp>(record, half));
}

Position SortedUpdates::positionOf(const Index &row, const Index &vector,
                                   size_t outer, ArrayRef<int64_t> shape) {
  Position at = emitter.split(row, shape.take_front(outer));
  at.append(emitter.split(laneOf(vector), shape.drop_front(outer)));
  return at;
}

Value SortedUpdates::elementAt(Value tensor, const Position &at) {
  return emitter.lanes > 1 ? emitter.vectorElement(tensor, at)
                           : emitter.element(tensor, at);
}

Value SortedUpdates::element(const Index &row, const Index &vector) {
  return elementAt(
      scatter.op->getOperand(0),
      positionOf(row, vector, scatter.rowDims, scatter.type.getShape()));
}

void SortedUpdates::store(Value sum, const Index &row, const Index &vector) {
  kernel.storeResult(
      0, sum,
      positionOf(row, vector, scatter.rowDims, scatter.type.getShape()));
}

Value SortedUpdates::update(Value place, const Index &vector) {
  Value record = memref::LoadOp::create(b, loc, records, place);
  Value low = arith::TruncIOp::create(b, loc, b.getI32Type(), record);
  const Index number = emitter.space.add(
      arith::IndexCastUIOp::create(b, loc, b.getIndexType(), low), 0,
      scatter.count - 1);
  return elementAt(scatter.op->getOperand(2),
                   positionOf(number, vector, scatter.updateDims,
                              scatter.updates.getShape()));
}

Value SortedUpdates::addAll(Value sum, Value begin, Value end, int64_t most,
                            int64_t ahead,
                            function_ref<Value(const Index &)> read) {
  Value bits = constant(llvm::Log2_64(uint64_t(ahead)));
  Value turns = make<arith::ShRUIOp>(sub(end, begin), bits);
  SmallVector<Value> whole = emitter.loop(
      constant(0), turns, 0, std::max<int64_t>(most / ahead, 1), sum,
      [&](Index turn, ValueRange sums) -> SmallVector<Value> {
        Value first = add(begin, valueOf(turn * ahead));
        SmallVector<Value> values;
        for (int64_t i = 0; i < ahead; ++i)
          values.push_back(
              read(emitter.space.add(first, 0, scatter.count - 1) + Index(i)));
        Value next = sums[0];
        for (Value value : values)
          next = scatter.combine(emitter, next, value);
        return {next};
      });
  ElementEmitter::keepLoop(whole);
  SmallVector<Value> all = emitter.loop(
      add(begin, make<arith::ShLIOp>(turns, bits)), end, 0, scatter.count,
      whole, [&](Index place, ValueRange sums) -> SmallVector<Value> {
        return {scatter.combine(emitter, sums[0], read(place))};
      });
  ElementEmitter::keepLoop(all);
  return all[0];
}

} // namespace smp::codegen::cuda
