// SPDX-License-Identifier: Apache-2.0
// Operators that compute each element by itself.

#include "Ops.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void importReciprocal(Node &node) {
  node.set(node.emit.binary<DivOp>(1.0, node[0]));
}

/// The result has the base's type, whatever the exponent's.
void importPow(Node &node) {
  Emitter &e = node.emit;
  Value base = node[0], exponent = node[1];
  Type type = elementOf(base);
  if (isFloat(exponent) && !isFloat(base)) {
    Type wide = e.builder.getF64Type();
    Value power =
        e.binary<PowOp>(e.convert(base, wide), e.convert(exponent, wide));
    return node.set(e.convert(power, type));
  }
  node.set(e.binary<PowOp>(base, e.convert(exponent, type)));
}

/// `fmod` is C's; otherwise the result has the divisor's sign, as in Python.
/// Since 28 that is said of floats too, and of their zeros.
void importMod(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], y = node[1];
  e.alignShapes(x, y);
  Value rest = e.binary<RemOp>(x, y);
  bool isC = node.flag("fmod");
  if (!rest || isC || isUnsigned(x))
    return node.set(rest);
  if (isFloat(x) && node.since < 28) {
    node.error("takes floats without fmod=1");
    return;
  }
  Value isBelow = e.compare(Direction::LT, y, 0.0);
  Value differs = e.binary<XorOp>(e.compare(Direction::LT, rest, 0.0), isBelow);
  Value isZero = e.compare(Direction::EQ, rest, 0.0);
  Value zero = e.select(isBelow, e.splat(typeOf(rest), -0.0),
                        e.splat(typeOf(rest), 0.0));
  Value moved = e.select(differs, e.binary<AddOp>(rest, y), rest);
  node.set(e.select(isZero, zero, moved));
}

void importBitShift(Node &node) {
  bool isLeft = node.word("direction", "", {"LEFT", "RIGHT"}) == "LEFT";
  node.set(isLeft ? node.emit.binary<ShiftLeftOp>(node[0], node[1])
                  : node.emit.binary<ShiftRightOp>(node[0], node[1]));
}

void importMean(Node &node) {
  Emitter &e = node.emit;
  Value sum = node[0];
  for (int64_t i = 1; i < node.numInputs(); ++i)
    sum = e.binary<AddOp>(sum, node[i]);
  node.set(e.binary<DivOp>(sum, double(node.numInputs())));
}

static Value clamp(Emitter &e, Value x, Value low, Value high) {
  if (low)
    x = e.binary<MaxOp>(x, low);
  if (high)
    x = e.binary<MinOp>(x, high);
  return x;
}

/// 6: bounds are attributes.
void importClipAttributes(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0], low, high;
  if (node.hasAttr("min"))
    low = e.scalar(elementOf(x), node.number("min"));
  if (node.hasAttr("max"))
    high = e.scalar(elementOf(x), node.number("max"));
  node.set(clamp(e, x, low, high));
}

void importClip(Node &node) {
  node.set(clamp(node.emit, node[0], node[1], node[2]));
}

//===----------------------------------------------------------------------===//
// Comparisons and types
//===----------------------------------------------------------------------===//

void importWhere(Node &node) {
  node.set(node.emit.select(node[0], node[1], node[2]));
}

void importIsInf(Node &node) {
  Emitter &e = node.emit;
  bool negative = node.flag("detect_negative", true);
  bool positive = node.flag("detect_positive", true);
  Value x = node[0], isInf = e.unary<IsInfOp>(x);
  if (!negative)
    isInf = e.binary<AndOp>(isInf, e.compare(Direction::GT, x, 0.0));
  if (!positive)
    isInf = e.binary<AndOp>(isInf, e.compare(Direction::LT, x, 0.0));
  node.set(isInf);
}

void importCast(Node &node) {
  node.ignore("saturate"); // Only float8 saturates, or rounds by a mode.
  node.ignore("round_mode");
  Type type = node.elementType(node.integer("to", -1));
  if (type)
    node.set(node.emit.convert(node[0], type));
}

void importCastLike(Node &node) {
  node.ignore("saturate");
  node.ignore("round_mode");
  node.set(node.emit.convert(node[0], elementOf(node[1])));
}

/// A bool is a byte of 0 or 1. Integers of one width keep their bits when they
/// are converted.
void importBitCast(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  Type type = node.elementType(node.integer("to", -1));
  if (!type)
    return;
  auto widthOf = [](Type element) {
    return element.isInteger(1) ? 8 : element.getIntOrFloatBitWidth();
  };
  if (widthOf(type) != widthOf(elementOf(x)))
    return (void)node.error("takes the bits of " +
                            Twine(widthOf(elementOf(x))) + "-bit elements as " +
                            Twine(widthOf(type)) + "-bit ones");
  if (isa<IntegerType>(type) && isa<IntegerType>(elementOf(x)))
    return node.set(e.convert(x, type));
  node.set(e.make<BitCastOp>(x, {}, RankedTensorType::get(shapeOf(x), type)));
}

//===----------------------------------------------------------------------===//
// Activations
//===----------------------------------------------------------------------===//

/// x where it is positive, else `negative`.
static Value splitAtZero(Emitter &e, Value x, Value negative) {
  return e.select(e.compare(Direction::LT, x, 0.0), negative, x);
}

/// exp(x) - 1 of what is not above zero: overflows nowhere.
static Value expm1Below(Emitter &e, Value x) {
  return e.unary<Expm1Op>(e.binary<MinOp>(x, 0.0));
}

void importLeakyRelu(Node &node) {
  Emitter &e = node.emit;
  double alpha = node.number("alpha", 0.01f);
  node.set(splitAtZero(e, node[0], e.binary<MulOp>(node[0], alpha)));
}

void importPRelu(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  Value slope = e.broadcastTo(node[1], shapeOf(x));
  node.set(splitAtZero(e, x, e.binary<MulOp>(x, slope)));
}

void importThresholdedRelu(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  Value isAbove = e.compare(Direction::GT, x, node.number("alpha", 1));
  node.set(e.select(isAbove, x, e.splat(typeOf(x), 0)));
}

void importElu(Node &node) {
  Emitter &e = node.emit;
  double alpha = node.number("alpha", 1);
  node.set(
      splitAtZero(e, node[0], e.binary<MulOp>(expm1Below(e, node[0]), alpha)));
}

void importCelu(Node &node) {
  Emitter &e = node.emit;
  double alpha = node.number("alpha", 1);
  Value scaled = e.binary<DivOp>(node[0], alpha);
  node.set(
      splitAtZero(e, node[0], e.binary<MulOp>(expm1Below(e, scaled), alpha)));
}

void importSelu(Node &node) {
  Emitter &e = node.emit;
  double alpha = node.number("alpha", 1.67326319217681884765625);
  double gamma = node.number("gamma", 1.05070102214813232421875);
  Value negative = e.binary<MulOp>(expm1Below(e, node[0]), alpha);
  node.set(e.binary<MulOp>(splitAtZero(e, node[0], negative), gamma));
}

static Value hardSigmoid(Emitter &e, Value x, double alpha, double beta) {
  Value line = e.binary<AddOp>(e.binary<MulOp>(x, alpha), beta);
  return e.binary<MinOp>(e.binary<MaxOp>(line, 0.0), 1.0);
}

void importHardSigmoid(Node &node) {
  node.set(hardSigmoid(node.emit, node[0], node.number("alpha", 0.2f),
                       node.number("beta", 0.5)));
}

void importHardSwish(Node &node) {
  Emitter &e = node.emit;
  node.set(e.binary<MulOp>(node[0], hardSigmoid(e, node[0], 1.0 / 6, 0.5)));
}

void importSoftsign(Node &node) {
  Emitter &e = node.emit;
  Value below = e.binary<AddOp>(e.unary<AbsOp>(node[0]), 1.0);
  node.set(e.binary<DivOp>(node[0], below));
}

void importMish(Node &node) {
  Emitter &e = node.emit;
  Value gate = e.unary<TanhOp>(e.unary<SoftplusOp>(node[0]));
  node.set(e.binary<MulOp>(node[0], gate));
}

/// x * sigmoid(alpha * x).
static Value swish(Node &node) {
  Emitter &e = node.emit;
  Value scaled = e.binary<MulOp>(node[0], node.number("alpha", 1));
  return e.binary<MulOp>(node[0], e.unary<SigmoidOp>(scaled));
}

void importSwish(Node &node) { node.set(swish(node)); }

void importSwiGlu(Node &node) {
  if (shapeOf(node[0]) != shapeOf(node[1]))
    return (void)node.error("has a gate of another shape than its value");
  node.set(node.emit.binary<MulOp>(swish(node), node[1]));
}

void importGelu(Node &node) {
  Emitter &e = node.emit;
  bool isTanh = node.word("approximate", "none", {"none", "tanh"}) == "tanh";
  SmallVector<NamedAttribute> attributes;
  if (isTanh)
    attributes.push_back(e.attr("approximate", e.builder.getUnitAttr()));
  node.set(e.make<GeluOp>(node[0], attributes));
}

void importShrink(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  double bias = node.number("bias", 0), lambda = node.number("lambd", 0.5);
  Value high = e.compare(Direction::GT, x, lambda);
  Value low = e.compare(Direction::LT, x, -lambda);
  Value result =
      e.select(high, e.binary<SubOp>(x, bias), e.splat(typeOf(x), 0));
  node.set(e.select(low, e.binary<AddOp>(x, bias), result));
}

} // namespace smp::frontend
