// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/Sequences.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

int64_t countLines(ir::ScanOp scan) {
  RankedTensorType type = tensorOf(scan.getInput());
  return type.getNumElements() / type.getDimSize(scan.getAxis());
}

ScanSteps::ScanSteps(ElementEmitter &emitter, ir::ScanOp scan)
    : emitter(emitter), scan(scan),
      element(tensorOf(scan.getInput()).getElementType()) {
  const bool isAdded = scan.getKind() == ir::ReduceKind::Sum ||
                       scan.getKind() == ir::ReduceKind::Prod;
  isInF64 = isAdded && isa<FloatType>(element);
  carriedType = isInF64 ? Type(emitter.builder.getF64Type()) : element;
}

Value ScanSteps::start() const {
  return neutralValue(emitter, scan.getKind(), carriedType);
}

Value ScanSteps::combine(Value carried, Value value) const {
  return codegen::combine(emitter, scan.getKind(), carriedType, carried, value);
}

std::pair<Value, Value> ScanSteps::step(Value carried, Value value) const {
  if (isInF64)
    value = toF64(emitter, value);
  Value sum = combine(carried, value);
  Value shown = scan.getExclusive() ? carried : sum;
  if (isInF64)
    shown = fromF64(emitter, shown, element);
  return {sum, shown};
}

void emitScanLine(ElementEmitter &emitter, ir::ScanOp scan, const Index &number,
                  function_ref<void(Value, const Position &)> store) {
  RankedTensorType type = tensorOf(scan.getInput());
  int64_t axis = scan.getAxis(), size = type.getDimSize(axis);
  SmallVector<int64_t> others(type.getShape());
  others.erase(others.begin() + axis);
  Position line = emitter.split(number, others);
  const ScanSteps steps(emitter, scan);
  emitter.loop(0, size, 1, steps.start(),
               [&](Index i, ValueRange carried) -> SmallVector<Value> {
                 Position at = line;
                 at.insert(at.begin() + axis,
                           scan.getReverse() ? i * -1 + Index(size - 1) : i);
                 auto [sum, shown] = steps.step(
                     carried[0], emitter.element(scan.getInput(), at));
                 store(shown, at);
                 return {sum};
               });
}

Value emitIsBefore(ElementEmitter &emitter, ir::TopKOp op, Value value,
                   Value other) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Type element = tensorOf(op.getInput()).getElementType();
  if (!isa<FloatType>(element)) {
    using I = arith::CmpIPredicate;
    bool isUnsigned = element.isUnsignedInteger();
    I order = op.getLargest() ? (isUnsigned ? I::ugt : I::sgt)
                              : (isUnsigned ? I::ult : I::slt);
    return arith::CmpIOp::create(b, loc, order, value, other);
  }
  using F = arith::CmpFPredicate;
  Value great = op.getLargest() ? value : other,
        small = op.getLargest() ? other : value;
  Value greater = arith::CmpFOp::create(b, loc, F::OGT, great, small);
  Value nanFirst = arith::AndIOp::create(
      b, loc, arith::CmpFOp::create(b, loc, F::UNO, great, great),
      arith::CmpFOp::create(b, loc, F::ORD, small, small));
  return arith::OrIOp::create(b, loc, greater, nanFirst);
}

ir::ReduceKind reduceKindOf(ir::ScatterKind kind) {
  static constexpr ir::ReduceKind kinds[] = {
      ir::ReduceKind::Sum, ir::ReduceKind::Sum, ir::ReduceKind::Prod,
      ir::ReduceKind::Max, ir::ReduceKind::Min};
  return kinds[unsigned(kind)];
}

} // namespace smp::codegen
