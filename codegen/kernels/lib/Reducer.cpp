// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/Reducer.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;

namespace smp::codegen {

/// Sums of f64 are scaled by this where they could overflow: fewer elements
/// than its inverse stay below the greatest number.
static constexpr double kF64SumScale = 0x1p-64;

static Type f64Like(Value value) {
  Type f64 = Float64Type::get(value.getContext());
  auto vector = dyn_cast<VectorType>(value.getType());
  return vector ? Type(vector.clone(f64)) : f64;
}

Value toF64(ElementEmitter &emitter, Value value) {
  if (value.getType() == f64Like(value))
    return value;
  return arith::ExtFOp::create(emitter.builder, emitter.location,
                               f64Like(value), value);
}

Value fromF64(ElementEmitter &emitter, Value value, Type element) {
  return emitFromF64(emitter.builder, emitter.location, value, element);
}

/// x by a number.
static Value scale(ElementEmitter &emitter, Value x, double factor) {
  Value by = emitter.constant(getElementTypeOrSelf(x.getType()), factor);
  if (isa<VectorType>(x.getType()))
    by = emitter.broadcast(by);
  return arith::MulFOp::create(emitter.builder, emitter.location, x, by);
}

Value neutralValue(ElementEmitter &emitter, ir::ReduceKind kind, Type element) {
  if (kind == ir::ReduceKind::Sum || kind == ir::ReduceKind::SumSquares)
    return emitter.constant(element, 0);
  if (kind == ir::ReduceKind::Prod)
    return emitter.constant(element, 1);
  bool isMax = kind == ir::ReduceKind::Max;
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<FloatType>(element))
    return emitter.constant(element, isMax ? -infinity : infinity);
  unsigned width = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger() || width == 1;
  APInt bound = isUnsigned ? (isMax ? APInt::getMinValue(width)
                                    : APInt::getMaxValue(width))
                           : (isMax ? APInt::getSignedMinValue(width)
                                    : APInt::getSignedMaxValue(width));
  return arith::ConstantOp::create(
      emitter.builder, emitter.location,
      IntegerAttr::get(computeType(element), bound));
}

Value combine(ElementEmitter &emitter, ir::ReduceKind kind, Type element,
              Value a, Value b) {
  OpBuilder &builder = emitter.builder;
  Location loc = emitter.location;
  bool isFloat = isa<FloatType>(element);
  bool isUnsigned = element.isUnsignedInteger() || element.isInteger(1);
  switch (kind) {
  case ir::ReduceKind::Sum:
  case ir::ReduceKind::SumSquares:
    return isFloat ? arith::AddFOp::create(builder, loc, a, b).getResult()
                   : arith::AddIOp::create(builder, loc, a, b).getResult();
  case ir::ReduceKind::Prod:
    return isFloat ? arith::MulFOp::create(builder, loc, a, b).getResult()
                   : arith::MulIOp::create(builder, loc, a, b).getResult();
  case ir::ReduceKind::Max:
    if (isFloat)
      return emitMaximum(builder, loc, a, b);
    return isUnsigned ? arith::MaxUIOp::create(builder, loc, a, b).getResult()
                      : arith::MaxSIOp::create(builder, loc, a, b).getResult();
  case ir::ReduceKind::Min:
    if (isFloat)
      return emitMinimum(builder, loc, a, b);
    return isUnsigned ? arith::MinUIOp::create(builder, loc, a, b).getResult()
                      : arith::MinSIOp::create(builder, loc, a, b).getResult();
  }
  llvm_unreachable("unknown reduction");
}

//===----------------------------------------------------------------------===//
// Reducer
//===----------------------------------------------------------------------===//

bool Reducer::isSequential(ir::ReduceKind kind, Type element) {
  return kind == ir::ReduceKind::Prod && isa<FloatType>(element);
}

bool Reducer::isNegated() const {
  return kind == ir::ReduceKind::Max && isa<FloatType>(element) &&
         !hasExtremes(emitter.builder, computeType(element));
}

/// All f16 there can be add up to less than the greatest f32.
bool Reducer::mayOverflow(ir::ReduceKind kind, Type element) {
  return kind == ir::ReduceKind::Sum && isa<FloatType>(element) &&
         !isa<Float16Type>(element);
}

Type Reducer::stateElement(ir::ReduceKind kind, Type element) {
  if (isSequential(kind, element))
    return Float64Type::get(element.getContext());
  return isa<FloatType>(element) ? computeType(element) : element;
}

Type Reducer::stateElement() const {
  return isWide ? Type(emitter.builder.getF64Type())
                : stateElement(kind, element);
}

Value Reducer::start() const {
  if (isInF64())
    return neutralValue(emitter, kind, emitter.builder.getF64Type());
  return neutralValue(emitter, isNegated() ? ir::ReduceKind::Min : kind,
                      element);
}

Value Reducer::add(Value state, Value x) const {
  if (kind == ir::ReduceKind::SumSquares)
    return emitFma(emitter.builder, emitter.location, x, x, state);
  if (isInF64())
    x = toF64(emitter, x);
  if (isWide && isa<Float64Type>(element))
    x = scale(emitter, x, kF64SumScale);
  if (isNegated())
    x = arith::NegFOp::create(emitter.builder, emitter.location, x);
  return join(state, x);
}

Value Reducer::join(Value a, Value b) const {
  Type type = isInF64() ? Type(emitter.builder.getF64Type()) : element;
  return combine(emitter, isNegated() ? ir::ReduceKind::Min : kind, type, a, b);
}

Value Reducer::result(Value state) const {
  if (isNegated())
    return arith::NegFOp::create(emitter.builder, emitter.location, state);
  if (isWide && isa<Float64Type>(element))
    state = scale(emitter, state, 1 / kF64SumScale);
  return isInF64() ? fromF64(emitter, state, element) : state;
}

/// `finite` where `sum` is, else what `otherwise` gives.
Value Reducer::chooseFinite(
    Value sum, Value finite,
    function_ref<Value(const Reducer &)> otherwise) const {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  // The difference is a NaN where the sum is one or infinite.
  Value difference = arith::SubFOp::create(b, loc, sum, sum);
  Value isBad = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                      difference, difference);
  Value isAnyBad = isBad;
  if (isa<VectorType>(isBad.getType()))
    isAnyBad =
        vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, isBad);
  return emitter.branch(
      isAnyBad, finite.getType(),
      [&]() -> SmallVector<Value> {
        Value exact = otherwise(wider());
        return {arith::SelectOp::create(b, loc, isBad, exact, finite)};
      },
      [&]() -> SmallVector<Value> { return {finite}; })[0];
}

Value Reducer::finish(Value state,
                      function_ref<Value(const Reducer &)> again) const {
  Value sum = result(state);
  if (!mayOverflow())
    return sum;
  return chooseFinite(
      sum, sum, [&](const Reducer &wide) { return wide.result(again(wide)); });
}

Value Reducer::widen(Value state,
                     function_ref<Value(const Reducer &)> again) const {
  Value finite = toF64(emitter, state);
  if (isa<Float64Type>(element))
    finite = scale(emitter, finite, kF64SumScale);
  return chooseFinite(state, finite, again);
}

} // namespace smp::codegen
