// SPDX-License-Identifier: Apache-2.0
#include "Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

/// What global memory gives at once.
static constexpr int64_t kSectorBytes = 32;

/// Elements from one depth to the next. Threads that store along the depth, a
/// sector each of several places on the side, meet all banks, and 16 bytes
/// stay together.
static int64_t pitchOf(const Tile &tile) { return tile.size + 4; }

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

TileSide::TileSide(KernelFunction &kernel, const ProductSide &side,
                   const Tile &tile, Type element, int64_t depth,
                   const Index &thread)
    : side(side), kernel(kernel), emitter(kernel.emitter), tile(tile),
      element(element), depth(depth),
      memory(kernel.shared(element, 2 * tile.depth * pitchOf(tile))) {
  if (isa<BlockArgument>(side.tensor) && side.run % emitter.lanes == 0)
    width = emitter.lanes;
  auto divide = [&](const Index &number, int64_t by, Index &rest) {
    Index quotient;
    emitter.space.divide(emitter.builder, emitter.location, number, by,
                         quotient, rest);
    return quotient;
  };
  // Neighbouring threads read what is side by side; along the depth a sector.
  const int64_t along =
      side.runsAlongDepth ? kSectorBytes / bytesOf(element) : tile.size;
  const int64_t number = tile.size * tile.depth / width;
  for (int64_t i = 0; i < number; i += tile.threads()) {
    Index place, line, sector;
    line = divide(thread + Index(i), along / width, place);
    if (!side.runsAlongDepth) {
      accesses.push_back({place * width, line});
      continue;
    }
    sector = divide(line, tile.size, line);
    accesses.push_back({line, sector * along + place * width});
  }
}

void TileSide::setPlace(const Index &warp, const Index &lane, int64_t lanes) {
  const int64_t numRuns = tile.each / emitter.lanes;
  runs = warp * (tile.each * lanes) + lane * emitter.lanes;
  stride = numRuns == 1 ? 0 : lanes * emitter.lanes;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

Value allOf(ElementEmitter &emitter, ValueRange conditions) {
  Value all;
  for (Value condition : conditions)
    all = all ? arith::AndIOp::create(emitter.builder, emitter.location, all,
                                      condition)
                    .getResult()
              : condition;
  return all;
}

void addBound(ElementEmitter &emitter, const Index &index, int64_t bound,
              ProductSide::Conditions &conditions) {
  if (emitter.space.range(index).second < bound)
    return;
  conditions.push_back(arith::CmpIOp::create(
      emitter.builder, emitter.location, arith::CmpIPredicate::ult,
      emitter.space.emit(emitter.builder, emitter.location, index),
      emitter.indexConstant(bound)));
}

Value TileSide::load(const Position &at) const {
  const RankedTensorType type = tensorOf(side.tensor);
  const Index number = linearize(at, side.shape);
  if (auto argument = dyn_cast<BlockArgument>(side.tensor))
    return emitter.load(kernel.inputMemory(argument.getArgNumber()),
                        type.getElementType(), number);
  return emitter.element(side.tensor,
                         ArrayRef(side.shape) == type.getShape()
                             ? at
                             : emitter.split(number, type.getShape()));
}

/// What stands for elements that do not exist: a NaN that nothing else is.
Value TileSide::hole() const {
  const unsigned bits = element.getIntOrFloatBitWidth();
  const APInt pattern =
      side.hasHoles ? APInt::getAllOnes(bits) : APInt::getZero(bits);
  Value value = arith::ConstantOp::create(
      emitter.builder, emitter.location,
      FloatAttr::get(
          element,
          APFloat(cast<FloatType>(element).getFloatSemantics(), pattern)));
  return width == 1 ? value : emitter.broadcast(value);
}

static Value sameBits(ElementEmitter &emitter, Value value, Value other) {
  const unsigned bits =
      getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth();
  Type type = emitter.builder.getIntegerType(bits);
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(type);
  auto cast = [&](Value x) -> Value {
    return arith::BitcastOp::create(emitter.builder, emitter.location, type, x);
  };
  return arith::CmpIOp::create(emitter.builder, emitter.location,
                               arith::CmpIPredicate::eq, cast(value),
                               cast(other));
}

/// Another NaN in the place of the one that stands for holes.
Value TileSide::keptFromHoles(Value value) const {
  Value other =
      arith::NegFOp::create(emitter.builder, emitter.location, hole());
  return arith::SelectOp::create(emitter.builder, emitter.location,
                                 sameBits(emitter, value, hole()), other,
                                 value);
}

Value TileSide::exists(Value value) const {
  Value yes = arith::ConstantIntOp::create(emitter.builder, emitter.location,
                                           emitter.builder.getI1Type(), 1);
  Value mark = hole();
  if (width > 1)
    mark = vector::ExtractOp::create(emitter.builder, emitter.location, mark,
                                     int64_t(0));
  return arith::XOrIOp::create(emitter.builder, emitter.location,
                               sameBits(emitter, value, mark), yes);
}

Value TileSide::read(const Access &access, const Position &batch,
                     const Index &from) const {
  const Index own = first + access.own, k = from + access.k;
  ProductSide::Conditions conditions;
  addBound(emitter, own, side.extent, conditions);
  addBound(emitter, k, depth, conditions);
  Position at = side.at(emitter, batch, own, k, conditions);
  if (width > 1)
    at.back() = at.back() + emitter.space.lane();
  auto value = [&]() -> SmallVector<Value> {
    Value loaded = load(at);
    return {side.hasHoles ? keptFromHoles(loaded) : loaded};
  };
  if (conditions.empty())
    return value()[0];
  Type type = width == 1 ? element : VectorType::get({width}, element);
  return emitter.branch(allOf(emitter, conditions), type, value,
                        [&]() -> SmallVector<Value> { return {hole()}; })[0];
}

SmallVector<Value> TileSide::fetch(const Position &batch,
                                   const Index &from) const {
  SmallVector<Value> values;
  for (const Access &access : accesses)
    values.push_back(read(access, batch, from));
  return values;
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

Index TileSide::placeOf(const Index &step, const Index &k,
                        const Index &own) const {
  return step * (tile.depth * pitchOf(tile)) + k * pitchOf(tile) + own;
}

void TileSide::put(ValueRange values, const Index &step) const {
  for (auto [access, value] : llvm::zip(accesses, values)) {
    const Index place = placeOf(step, access.k, access.own);
    if (width == 1) {
      emitter.store(value, memory, element, place);
    } else if (!side.runsAlongDepth) {
      emitter.store(value, memory, element, place + emitter.space.lane());
    } else {
      for (int64_t i = 0; i < width; ++i) {
        Value one = vector::ExtractOp::create(emitter.builder, emitter.location,
                                              value, i);
        emitter.store(one, memory, element, place + Index(i * pitchOf(tile)));
      }
    }
  }
}

SmallVector<Value> TileSide::take(const Index &step, int64_t k) const {
  SmallVector<Value> values;
  for (int64_t run = 0; run < tile.each / emitter.lanes; ++run) {
    const Index place = placeOf(step, Index(k), runs + Index(run * stride));
    Value together =
        emitter.load(memory, element, place + emitter.space.lane());
    for (int64_t i = 0; i < emitter.lanes; ++i)
      values.push_back(vector::ExtractOp::create(
          emitter.builder, emitter.location, together, i));
  }
  return values;
}

} // namespace smp::codegen::cuda
