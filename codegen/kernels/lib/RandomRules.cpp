// SPDX-License-Identifier: Apache-2.0
// Elements of smp.random: Philox4x32-10 in integers, so that its bits are those
// of serialization/model/lib/Philox.cpp on every level.
//
// 32-bit words are held in 64-bit integers, whose product is a round's.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "smp/codegen/ElementEmitter.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen {

static constexpr int64_t kMultipliers[] = {0xD2511F53, 0xCD9E8D57};
static constexpr uint32_t kKeySteps[] = {0x9E3779B9, 0xBB67AE85};
static constexpr int64_t kWord = 0xffffffff;
static constexpr int kRounds = 10;

namespace {
/// Emits for one op at one position.
class Random {
public:
  Random(ElementEmitter &emitter, ir::RandomOp op, const Position &at)
      : emitter(emitter), b(emitter.builder), loc(emitter.location), op(op),
        offset(linearize(at, ir::tensorOf(op).getShape())) {}

  Value emit();

private:
  /// As many i64 as a value has; 0: one scalar.
  using Count = int64_t;
  Type i64(Count count) const {
    return count ? Type(VectorType::get({count}, b.getI64Type()))
                 : b.getI64Type();
  }
  /// Constants that repeat over the lanes.
  Value numbers(ArrayRef<int64_t> repeated, Count count) {
    if (!count)
      return arith::ConstantOp::create(b, loc,
                                       b.getI64IntegerAttr(repeated[0]));
    SmallVector<int64_t> all;
    for (int64_t i = 0; i < count; ++i)
      all.push_back(repeated[size_t(i) % repeated.size()]);
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(cast<ShapedType>(i64(count)), ArrayRef(all)));
  }
  Value spread(Value scalar, Count count) {
    return count ? vector::BroadcastOp::create(b, loc, i64(count), scalar)
                       .getResult()
                 : scalar;
  }
  Value mul(Value x, Value y) { return arith::MulIOp::create(b, loc, x, y); }
  Value xored(Value x, Value y) { return arith::XOrIOp::create(b, loc, x, y); }
  Value masked(Value x, Value y) { return arith::AndIOp::create(b, loc, x, y); }
  Value shiftedDown(Value x, int64_t by, Count count) {
    return arith::ShRUIOp::create(b, loc, x, numbers({by}, count));
  }

  /// The low word of an operand.
  Value word(Value operand);
  /// The element offset of lane 0, as an i64.
  Value firstOffset();
  bool isWholeBlocks() const;
  std::array<int64_t, 2> key(int round);
  Value wholeBlocks();
  Value eachAlone();
  Value toFloat(Value words);

  ElementEmitter &emitter;
  OpBuilder &b;
  Location loc;
  ir::RandomOp op;
  Index offset; ///< Of the element in row-major order.
};
} // namespace

Value Random::word(Value operand) {
  auto rank = ir::tensorOf(operand).getRank();
  Value number = emitter.element(operand, Position(size_t(rank), Index(0)));
  return masked(number, numbers({kWord}, 0));
}

Value Random::firstOffset() {
  Value first =
      emitter.space.emit(b, loc, offset.substitute(IndexSpace::kLane, 0));
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), first);
}

std::array<int64_t, 2> Random::key(int round) {
  uint64_t seed = op.getSeed();
  return {int64_t(uint32_t(seed) + uint32_t(round) * kKeySteps[0]),
          int64_t(uint32_t(seed >> 32) + uint32_t(round) * kKeySteps[1])};
}

/// Whether the lanes are whole blocks of four elements, in order.
bool Random::isWholeBlocks() const {
  int64_t common = std::gcd(int64_t(4), offset.constant);
  for (auto [id, factor] : offset.terms)
    if (id != IndexSpace::kLane)
      common = std::gcd(common, factor);
  return offset.coefficient(IndexSpace::kLane) == 1 && emitter.lanes % 4 == 0 &&
         common == 4;
}

/// Words 0 and 2 of each block beside each other in one vector, 1 and 3 in
/// another: a round is one product for both.
Value Random::wholeBlocks() {
  const Count count = emitter.lanes / 2;
  Value block = shiftedDown(firstOffset(), 2, 0);
  SmallVector<int64_t> blocks, swap, alternate;
  for (int64_t i = 0; i < count; ++i) {
    blocks.push_back(i / 2);
    swap.push_back(i ^ 1);
    alternate.push_back(i % 2 ? count + i : i);
  }
  auto everyOther = [&](Value first, Value second) -> Value {
    return vector::ShuffleOp::create(b, loc, first, second, alternate);
  };
  Value mask = numbers({kWord}, count);
  Value counter = masked(arith::AddIOp::create(b, loc, spread(block, count),
                                               numbers(blocks, count)),
                         mask);
  Value even = everyOther(counter, spread(word(op.getStep()), count));
  Value odd = everyOther(spread(word(op.getMicrobatch()), count),
                         numbers({int64_t(op.getSite()) & kWord}, count));
  for (int round = 0; round < kRounds; ++round) {
    Value product = mul(even, numbers(kMultipliers, count));
    product = vector::ShuffleOp::create(b, loc, product, product, swap);
    even = xored(xored(shiftedDown(product, 32, count), odd),
                 numbers(key(round), count));
    odd = masked(product, mask);
  }
  odd = arith::ShLIOp::create(b, loc, odd, numbers({32}, count));
  Value pairs = arith::OrIOp::create(b, loc, even, odd);
  return vector::BitCastOp::create(
      b, loc, VectorType::get({emitter.lanes}, b.getI32Type()), pairs);
}

/// A block per lane, of which one word is used.
Value Random::eachAlone() {
  int64_t stride = offset.coefficient(IndexSpace::kLane);
  const Count count = stride ? emitter.lanes : 0;
  Value element = spread(firstOffset(), count);
  if (stride) {
    SmallVector<int64_t> steps;
    for (int64_t lane = 0; lane < count; ++lane)
      steps.push_back(lane * stride);
    element = arith::AddIOp::create(b, loc, element, numbers(steps, count));
  }
  Value mask = numbers({kWord}, count);
  std::array<Value, 4> words = {
      masked(shiftedDown(element, 2, count), mask),
      spread(word(op.getMicrobatch()), count),
      spread(word(op.getStep()), count),
      numbers({int64_t(op.getSite()) & kWord}, count)};
  for (int round = 0; round < kRounds; ++round) {
    Value product0 = mul(words[0], numbers({kMultipliers[0]}, count));
    Value product1 = mul(words[2], numbers({kMultipliers[1]}, count));
    auto [key0, key1] = key(round);
    words = {xored(xored(shiftedDown(product1, 32, count), words[1]),
                   numbers({key0}, count)),
             masked(product1, mask),
             xored(xored(shiftedDown(product0, 32, count), words[3]),
                   numbers({key1}, count)),
             masked(product0, mask)};
  }
  auto choose = [&](int64_t bit, Value yes, Value no) -> Value {
    Value isSet = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                                        masked(element, numbers({bit}, count)),
                                        numbers({0}, count));
    return arith::SelectOp::create(b, loc, isSet, yes, no);
  };
  Value chosen =
      choose(2, choose(1, words[3], words[2]), choose(1, words[1], words[0]));
  Type i32 = b.getI32Type();
  return arith::TruncIOp::create(
      b, loc, count ? Type(VectorType::get({count}, i32)) : i32, chosen);
}

/// The upper 24 bits, which a float holds, times 2^-24.
Value Random::toFloat(Value words) {
  bool isVector = isa<VectorType>(words.getType());
  Type f32 = b.getF32Type();
  auto like = [&](TypedAttr number) -> Value {
    Value scalar = arith::ConstantOp::create(b, loc, number);
    return isVector ? emitter.broadcast(scalar) : scalar;
  };
  Value top =
      arith::ShRUIOp::create(b, loc, words, like(b.getI32IntegerAttr(8)));
  Value number = arith::SIToFPOp::create(
      b, loc, isVector ? Type(VectorType::get({emitter.lanes}, f32)) : f32,
      top);
  return arith::MulFOp::create(b, loc, number,
                               like(b.getF32FloatAttr(0x1p-24f)));
}

Value Random::emit() {
  return toFloat(isWholeBlocks() ? wholeBlocks() : eachAlone());
}

Value emitRandom(ElementEmitter &emitter, ir::RandomOp op,
                 const Position &position) {
  return Random(emitter, op, position).emit();
}

} // namespace smp::codegen
