// SPDX-License-Identifier: Apache-2.0
#include "Tile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

/// What global memory gives at once, and what a thread accesses at most.
static constexpr int64_t kSectorBytes = 32, kAccessBytes = 16;

/// Words from one depth to the next. Threads that store along the depth, a
/// sector each of several places on the side, meet all banks, as do those that
/// store side by side in several depths; 16 bytes stay together.
static int64_t pitchOf(const Tile &tile) { return tile.size + 4; }

static int64_t bytesOf(Type element) {
  return element.getIntOrFloatBitWidth() / 8;
}

/// Elements of 16 bits that lie in memory stay as they are; others come as they
/// are summed.
static Type fetchedType(const ProductSide &side, Type sum) {
  Type stored = storageType(tensorOf(side.tensor).getElementType());
  return isa<BlockArgument>(side.tensor) && stored.isInteger(16) ? stored : sum;
}

TileSide::TileSide(KernelFunction &kernel, const ProductSide &side,
                   const Tile &tile, Type sum, int64_t depth,
                   const Index &thread)
    : side(side), kernel(kernel), emitter(kernel.emitter), tile(tile), sum(sum),
      element(fetchedType(side, sum)),
      word(element == sum ? sum : Type(kernel.builder.getI32Type())),
      depth(depth), thread(thread),
      memory(kernel.shared(word, 2 * words() * pitchOf(tile))) {
  const int64_t most = kAccessBytes / bytesOf(element);
  if (isa<BlockArgument>(side.tensor) && side.run % most == 0)
    width = most;
  auto divide = [&](const Index &number, int64_t by, Index &rest) {
    Index quotient;
    emitter.space.divide(emitter.builder, emitter.location, number, by,
                         quotient, rest);
    return quotient;
  };
  // Neighbouring threads read what is side by side: along the depth a sector,
  // along the side everything, but of packed words four accesses, so that
  // threads which store eight words each meet all banks.
  const bool byDepth = side.runsAlongDepth;
  const int64_t size =
      byDepth ? std::max<int64_t>(width / perWord(), 1) : width;
  const int64_t along = byDepth                   ? kSectorBytes / bytesOf(word)
                        : isPacked() && width > 1 ? 4 * width
                                                  : tile.size;
  const int64_t lines = byDepth ? tile.size : words();
  accessed = tile.size * words() / size;
  for (int64_t i = 0; i < accessed; i += tile.threads()) {
    Index place, line;
    Index outer = divide(thread + Index(i), along / size, place);
    outer = divide(outer, lines, line);
    const Index inner = outer * along + place * size;
    accesses.push_back(byDepth ? Access{line, inner} : Access{inner, line});
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

Value elementAt(ElementEmitter &emitter, const ProductSide &side,
                const Position &at) {
  ArrayRef<int64_t> shape = tensorOf(side.tensor).getShape();
  return emitter.element(side.tensor,
                         ArrayRef(side.shape) == shape
                             ? at
                             : emitter.split(linearize(at, side.shape), shape));
}

Value TileSide::load(const Position &at) const {
  auto argument = dyn_cast<BlockArgument>(side.tensor);
  if (!argument)
    return elementAt(emitter, side, at);
  Value buffer = kernel.inputMemory(argument.getArgNumber());
  Value place = emitter.space.emit(emitter.builder, emitter.location,
                                   linearize(at, side.shape));
  if (width == 1)
    return memref::LoadOp::create(emitter.builder, emitter.location, buffer,
                                  place);
  return vector::LoadOp::create(
      emitter.builder, emitter.location, VectorType::get({width}, element),
      buffer, place, /*nontemporal=*/false, llvm::Align(kAccessBytes));
}

/// Whether the thread has a part of a step; null where all have.
Value TileSide::isUsed() const {
  ProductSide::Conditions conditions;
  addBound(emitter, thread, accessed, conditions);
  return allOf(emitter, conditions);
}

Value TileSide::readStored(const Index &own, const Index &k,
                           const Position &batch) const {
  ProductSide::Conditions conditions;
  addBound(emitter, thread, accessed, conditions);
  addBound(emitter, own, side.extent, conditions);
  addBound(emitter, k, depth, conditions);
  const Position at = side.at(emitter, batch, own, k, conditions);
  auto value = [&]() -> SmallVector<Value> {
    Value loaded = load(at);
    return {side.hasHoles ? keptFromHoles(loaded) : loaded};
  };
  if (conditions.empty())
    return value()[0];
  Type type = width == 1 ? element : VectorType::get({width}, element);
  return emitter.branch(
      allOf(emitter, conditions), type, value,
      [&]() -> SmallVector<Value> { return {hole(type)}; })[0];
}

/// Words of which each has a low half and a high one.
static Value packWords(ElementEmitter &emitter, Value low, Value high) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  auto bitcast = [&](int64_t count, Value halves) -> Value {
    return vector::BitCastOp::create(
        b, loc, VectorType::get({count}, b.getI32Type()), halves);
  };
  auto vector = dyn_cast<VectorType>(low.getType());
  if (!vector) {
    Value both = vector::FromElementsOp::create(
        b, loc, VectorType::get({2}, low.getType()), ValueRange{low, high});
    return vector::ExtractOp::create(b, loc, bitcast(1, both), int64_t(0));
  }
  const int64_t count = vector.getNumElements();
  SmallVector<int64_t> turns;
  for (int64_t i = 0; i < count; ++i)
    turns.append({i, count + i});
  return bitcast(count, vector::ShuffleOp::create(b, loc, low, high, turns));
}

Value TileSide::read(const Access &access, const Position &batch,
                     const Index &from) const {
  const Index own = first + access.own, k = from + access.word * perWord();
  Value low = readStored(own, k, batch);
  if (!isPacked())
    return low;
  if (side.runsAlongDepth && width > 1)
    return vector::BitCastOp::create(emitter.builder, emitter.location,
                                     VectorType::get({width / perWord()}, word),
                                     low);
  return packWords(emitter, low, readStored(own, k + 1, batch));
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

Index TileSide::placeOf(const Index &step, const Index &at,
                        const Index &own) const {
  return step * (words() * pitchOf(tile)) + at * pitchOf(tile) + own;
}

/// Stores words, which lie along the depth or the side, from `place` on.
void TileSide::putWords(Value value, const Index &place) const {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector)
    return emitter.store(value, memory, word, place);
  const int64_t count = vector.getNumElements();
  if (side.runsAlongDepth) {
    for (int64_t i = 0; i < count; ++i)
      emitter.store(vector::ExtractOp::create(b, loc, value, i), memory, word,
                    place + Index(i * pitchOf(tile)));
    return;
  }
  for (int64_t i = 0; i < count; i += emitter.lanes) {
    SmallVector<int64_t> which(size_t(emitter.lanes));
    std::iota(which.begin(), which.end(), i);
    emitter.store(vector::ShuffleOp::create(b, loc, value, value, which),
                  memory, word, place + Index(i) + emitter.space.lane());
  }
}

void TileSide::put(ValueRange values, const Index &step) const {
  emitter.branch(isUsed(), [&] {
    for (auto [access, value] : llvm::zip(accesses, values))
      putWords(value, placeOf(step, access.word, access.own));
  });
}

/// The elements as they were read. Of packed words they are halves: those of
/// the depth before or behind come from the same loads.
SmallVector<Value> TileSide::takeStored(const Index &step, int64_t k) const {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  SmallVector<Value> values;
  for (int64_t run = 0; run < tile.each / emitter.lanes; ++run) {
    const Index place =
        placeOf(step, Index(k / perWord()), runs + Index(run * stride));
    Value together = emitter.load(memory, word, place + emitter.space.lane());
    if (isPacked())
      together = vector::BitCastOp::create(
          b, loc, VectorType::get({emitter.lanes * perWord()}, element),
          together);
    for (int64_t i = 0; i < emitter.lanes; ++i)
      values.push_back(vector::ExtractOp::create(
          b, loc, together, i * perWord() + k % perWord()));
  }
  return values;
}

SmallVector<Value> TileSide::take(const Index &step, int64_t k) const {
  SmallVector<Value> values = takeStored(step, k);
  if (!isPacked())
    return values;
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Type stored = tensorOf(side.tensor).getElementType();
  for (Value &value : values)
    if (stored.isBF16())
      value = emitBF16ToF32(b, loc, value);
    else
      value = arith::ExtFOp::create(
          b, loc, sum, arith::BitcastOp::create(b, loc, stored, value),
          arith::FastMathFlagsAttr());
  return values;
}

} // namespace smp::codegen::cuda
