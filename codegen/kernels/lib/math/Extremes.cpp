// SPDX-License-Identifier: Apache-2.0
// Maximum and minimum as IEEE 754-2019 has them: instructions where the target
// has them, else from x86's, which take the second operand when both are zeros
// or one is a NaN.

#include "Num.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "smp/codegen/MathLibrary.h"

using namespace mlir;
using namespace smp::codegen::math;
using Predicate = arith::CmpFPredicate;

bool smp::codegen::hasExtremes(OpBuilder &b, Type type) {
  if (!getElementTypeOrSelf(type).isF32())
    return false;
  Operation *around = b.getInsertionBlock()->getParentOp();
  while (around && !isa<FunctionOpInterface>(around))
    around = around->getParentOp();
  assert(around && "what is emitted is part of no function yet");
  return around->hasAttr(kHasExtremesAttr);
}

static Num compare(Predicate predicate, Num x, Num y) {
  return x.with(arith::CmpFOp::create(*x.builder, x.location, predicate,
                                      x.value, y.value));
}

/// The number that `value`, or each element of it, is known to be.
static std::optional<APFloat> knownNumber(Value value) {
  if (auto broadcast = value.getDefiningOp<vector::BroadcastOp>())
    value = broadcast.getSource();
  APFloat number(0.0f);
  if (!matchPattern(value, m_ConstantFloat(&number)) || number.isNaN())
    return std::nullopt;
  return number;
}

/// x or the known number y: one comparison, which a NaN passes. The zero that
/// wins over the other is y's if it can be, else x's.
static Num withKnown(Num x, Num y, const APFloat &number, bool isMax) {
  bool yWins = !number.isZero() || number.isNegative() != isMax;
  Predicate predicate = isMax ? (yWins ? Predicate::UGT : Predicate::UGE)
                              : (yWins ? Predicate::ULT : Predicate::ULE);
  return select(compare(predicate, x, y), x, y);
}

static Value emitExtreme(OpBuilder &b, Location loc, Value left, Value right,
                         bool isMax) {
  if (smp::codegen::hasExtremes(b, left.getType()))
    return isMax ? LLVM::MaximumOp::create(b, loc, left, right).getResult()
                 : LLVM::MinimumOp::create(b, loc, left, right).getResult();
  Num x{&b, loc, left}, y{&b, loc, right};
  if (auto number = knownNumber(right))
    return withKnown(x, y, *number, isMax);
  if (auto number = knownNumber(left))
    return withKnown(y, x, *number, isMax);
  // Each is one instruction. They differ where both are zeros, or one is a NaN.
  Predicate wins = isMax ? Predicate::OGT : Predicate::OLT;
  Num one = bits(select(compare(wins, x, y), x, y));
  Num other = bits(select(compare(wins, y, x), y, x));
  if (!isMax) // -0 if one is; a NaN's bits make any number one.
    return fromBits(one | other);
  Num isUnordered = compare(Predicate::UNO, x, y);
  return fromBits(select(isUnordered, x.integer(-1), one & other));
}

namespace smp::codegen {

Value emitMaximum(OpBuilder &b, Location loc, Value x, Value y) {
  return emitExtreme(b, loc, x, y, /*isMax=*/true);
}

Value emitMinimum(OpBuilder &b, Location loc, Value x, Value y) {
  return emitExtreme(b, loc, x, y, /*isMax=*/false);
}

} // namespace smp::codegen
