// SPDX-License-Identifier: Apache-2.0
// Elements of ops that make or move elements: each asks its operand at another
// position.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

/// `scalar` per lane, as one vector of `op`'s elements.
static Value scalarize(ElementEmitter &emitter, Value tensor,
                       const Position &at) {
  Type type = computeType(tensorOf(tensor).getElementType());
  return emitter.perLane(type, [&](int64_t lane) {
    return emitter.element(tensor, ElementEmitter::atLane(at, lane));
  });
}

static Value emitConstant(ElementEmitter &emitter, ir::ConstantOp op) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  assert(elements.isSplat() && "other constants are inputs of the group");
  Type element = elements.getElementType();
  if (isa<FloatType>(element))
    return emitter.constant(
        element, elements.getSplatValue<APFloat>().convertToDouble());
  APInt bits = elements.getSplatValue<APInt>();
  auto attribute = IntegerAttr::get(computeType(element), bits);
  return arith::ConstantOp::create(emitter.builder, emitter.location,
                                   attribute);
}

/// An index as integers of `type`: the low bits, per lane where it has one.
static Value emitIndex(ElementEmitter &emitter, const Index &index,
                       IntegerType type) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Value first =
      emitter.space.emit(b, loc, index.substitute(IndexSpace::kLane, 0));
  first = arith::IndexCastOp::create(b, loc, type, first);
  int64_t stride = index.coefficient(IndexSpace::kLane);
  if (stride == 0)
    return first;
  SmallVector<APInt> steps;
  for (int64_t lane = 0; lane < emitter.lanes; ++lane)
    steps.push_back(APInt(64, uint64_t(lane * stride)).trunc(type.getWidth()));
  auto vector = VectorType::get({emitter.lanes}, type);
  Value all =
      arith::ConstantOp::create(b, loc, DenseElementsAttr::get(vector, steps));
  return arith::AddIOp::create(b, loc, emitter.broadcast(first), all);
}

static Value emitIota(ElementEmitter &emitter, ir::IotaOp op,
                      const Position &at) {
  OpBuilder &b = emitter.builder;
  const Index &index = at[op.getDimension()];
  Type element = tensorOf(op.getResult()).getElementType();
  Type type = computeType(element);
  if (auto integer = dyn_cast<IntegerType>(type))
    return emitIndex(emitter, index, integer);
  bool isNarrow = emitter.space.range(index).second <= INT32_MAX;
  Value number =
      emitIndex(emitter, index, b.getIntegerType(isNarrow ? 32 : 64));
  if (auto vector = dyn_cast<VectorType>(number.getType()))
    type = vector.clone(type);
  return emitter.round(
      arith::SIToFPOp::create(b, emitter.location, type, number), element);
}

static Value emitReshape(ElementEmitter &emitter, ir::ReshapeOp op,
                         const Position &at) {
  RankedTensorType from = tensorOf(op.getInput());
  Index rest = linearize(at, tensorOf(op.getResult()).getShape());
  Position position(from.getRank());
  for (int64_t dim = from.getRank(); dim-- > 0;) {
    if (dim == 0) {
      position[0] = rest;
      break;
    }
    Index quotient;
    if (!emitter.space.divide(emitter.builder, emitter.location, rest,
                              from.getDimSize(dim), quotient, position[dim]))
      return scalarize(emitter, op.getResult(), at);
    rest = quotient;
  }
  return emitter.element(op.getInput(), position);
}

static Value emitBroadcast(ElementEmitter &emitter, ir::BroadcastOp op,
                           const Position &at) {
  Position position;
  for (auto [i, dim] : llvm::enumerate(op.getDimensions()))
    position.push_back(tensorOf(op.getInput()).getDimSize(i) == 1 ? Index(0)
                                                                  : at[dim]);
  return emitter.element(op.getInput(), position);
}

static Value emitTranspose(ElementEmitter &emitter, ir::TransposeOp op,
                           const Position &at) {
  Position position(at.size());
  for (auto [i, dim] : llvm::enumerate(op.getPermutation()))
    position[dim] = at[i];
  return emitter.element(op.getInput(), position);
}

static Value emitSlice(ElementEmitter &emitter, ir::SliceOp op,
                       const Position &at) {
  Position position;
  for (size_t i = 0; i < at.size(); ++i)
    position.push_back(at[i] * op.getStrides()[i] + Index(op.getStarts()[i]));
  return emitter.element(op.getInput(), position);
}

static Value emitReverse(ElementEmitter &emitter, ir::ReverseOp op,
                         const Position &at) {
  Position position = at;
  for (int64_t dim : op.getDimensions())
    position[dim] =
        at[dim] * -1 + Index(tensorOf(op.getInput()).getDimSize(dim) - 1);
  return emitter.element(op.getInput(), position);
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// Whether low <= value < high at run time, combined with `all` by and.
static Value within(ElementEmitter &emitter, Value all, const Index &index,
                    int64_t high) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  auto [least, greatest] = emitter.space.range(index);
  if (least >= 0 && greatest < high)
    return all;
  // As unsigned numbers, negative ones are beyond any bound.
  Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                       emitter.space.emit(b, loc, index),
                                       emitter.indexConstant(high));
  return all ? arith::AndIOp::create(b, loc, all, inside).getResult() : inside;
}

/// The input position of a padded one, along one dimension, for modes that
/// copy.
static Index copiedFrom(ElementEmitter &emitter, ir::PadMode mode,
                        const Index &index, int64_t size) {
  auto [least, greatest] = emitter.space.range(index);
  if (least >= 0 && greatest < size)
    return index;
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Value i = emitter.space.emit(b, loc, index);
  Value zero = emitter.indexConstant(0), last = emitter.indexConstant(size - 1);
  auto select = [&](arith::CmpIPredicate predicate, Value bound,
                    Value yes) -> Value {
    Value condition = arith::CmpIOp::create(b, loc, predicate, i, bound);
    return arith::SelectOp::create(b, loc, condition, yes, i);
  };
  if (mode == ir::PadMode::Edge) {
    i = arith::MaxSIOp::create(b, loc, i, zero);
    i = arith::MinSIOp::create(b, loc, i, last);
  } else if (mode == ir::PadMode::Reflect) {
    i = select(arith::CmpIPredicate::slt, zero,
               arith::SubIOp::create(b, loc, zero, i));
    Value twice = emitter.indexConstant(2 * (size - 1));
    i = select(arith::CmpIPredicate::sgt, last,
               arith::SubIOp::create(b, loc, twice, i));
  } else {
    Value whole = emitter.indexConstant(size);
    i = select(arith::CmpIPredicate::slt, zero,
               arith::AddIOp::create(b, loc, i, whole));
    i = select(arith::CmpIPredicate::sgt, last,
               arith::SubIOp::create(b, loc, i, whole));
  }
  return emitter.space.add(i, 0, size - 1);
}

/// Whether padding touches a dimension that the lane runs along.
static bool lanesArePadded(ir::PadOp op, const Position &at) {
  for (size_t i = 0; i < at.size(); ++i)
    if (at[i].coefficient(IndexSpace::kLane) &&
        (op.getLow()[i] || op.getHigh()[i] || op.getInterior()[i]))
      return true;
  return false;
}

static Value emitPad(ElementEmitter &emitter, ir::PadOp op,
                     const Position &at) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  if (lanesArePadded(op, at))
    return scalarize(emitter, op.getResult(), at);
  RankedTensorType from = tensorOf(op.getInput());
  Position position;
  Value inside;
  for (size_t i = 0; i < at.size(); ++i) {
    Index index = at[i] - op.getLow()[i];
    int64_t size = from.getDimSize(i), step = op.getInterior()[i] + 1;
    if (op.getMode() != ir::PadMode::Constant) {
      position.push_back(copiedFrom(emitter, op.getMode(), index, size));
      continue;
    }
    inside = within(emitter, inside, index,
                    std::max<int64_t>(size - 1, 0) * step + (size > 0));
    if (step == 1) {
      position.push_back(index);
      continue;
    }
    // Only every step-th position holds an element; those before the first one
    // are outside anyway, so shift them to keep the dividend non-negative.
    int64_t shift =
        (std::max<int64_t>(-emitter.space.range(index).first, 0) + step - 1) /
        step;
    Index quotient, remainder;
    emitter.space.divide(b, loc, index + Index(shift * step), step, quotient,
                         remainder);
    inside = within(emitter, inside, remainder, 1);
    position.push_back(quotient - shift);
  }
  auto input = [&] { return emitter.element(op.getInput(), position); };
  if (!inside)
    return input();
  Type type = computeType(from.getElementType());
  if (ElementEmitter::hasLane(at))
    type = VectorType::get({emitter.lanes}, type);
  auto asType = [&](Value value) {
    return isa<VectorType>(type) && !isa<VectorType>(value.getType())
               ? emitter.broadcast(value)
               : value;
  };
  Value fill = asType(emitter.element(op.getValue(), {}));
  return emitter.branch(
      inside, type, [&] { return SmallVector<Value>{asType(input())}; },
      [&] { return SmallVector<Value>{fill}; })[0];
}

//===----------------------------------------------------------------------===//
// concat
//===----------------------------------------------------------------------===//

static Value emitConcat(ElementEmitter &emitter, ir::ConcatOp op,
                        const Position &at) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  int64_t axis = op.getAxis();
  if (at[axis].coefficient(IndexSpace::kLane))
    return scalarize(emitter, op.getResult(), at);
  Type type = computeType(tensorOf(op.getResult()).getElementType());
  if (ElementEmitter::hasLane(at))
    type = VectorType::get({emitter.lanes}, type);
  std::function<Value(size_t, int64_t)> from = [&](size_t input,
                                                   int64_t start) {
    Value tensor = op.getInputs()[input];
    int64_t end = start + tensorOf(tensor).getDimSize(axis);
    if (end == start)
      return from(input + 1, end);
    auto element = [&]() -> Value {
      Position position = at;
      position[axis] = at[axis] - start;
      Value value = emitter.element(tensor, position);
      return isa<VectorType>(type) && !isa<VectorType>(value.getType())
                 ? emitter.broadcast(value)
                 : value;
    };
    auto [least, greatest] = emitter.space.range(at[axis]);
    if (input + 1 == op.getInputs().size() ||
        (least >= start && greatest < end))
      return element();
    if (least >= end)
      return from(input + 1, end);
    Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       emitter.space.emit(b, loc, at[axis]),
                                       emitter.indexConstant(end));
    return emitter.branch(
        here, type, [&] { return SmallVector<Value>{element()}; },
        [&] { return SmallVector<Value>{from(input + 1, end)}; })[0];
  };
  return from(0, 0);
}

Value emitShapeOp(ElementEmitter &emitter, Operation *op, const Position &at) {
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<ir::ConstantOp>([&](auto op) { return emitConstant(emitter, op); })
      .Case<ir::IotaOp>([&](auto op) { return emitIota(emitter, op, at); })
      .Case<ir::RandomOp>([&](auto op) { return emitRandom(emitter, op, at); })
      .Case<ir::ReshapeOp>(
          [&](auto op) { return emitReshape(emitter, op, at); })
      .Case<ir::BroadcastOp>(
          [&](auto op) { return emitBroadcast(emitter, op, at); })
      .Case<ir::TransposeOp>(
          [&](auto op) { return emitTranspose(emitter, op, at); })
      .Case<ir::SliceOp>([&](auto op) { return emitSlice(emitter, op, at); })
      .Case<ir::ReverseOp>(
          [&](auto op) { return emitReverse(emitter, op, at); })
      .Case<ir::PadOp>([&](auto op) { return emitPad(emitter, op, at); })
      .Case<ir::ConcatOp>([&](auto op) { return emitConcat(emitter, op, at); })
      .Default([](Operation *) { return Value(); });
}

} // namespace smp::codegen
