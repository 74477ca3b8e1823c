// SPDX-License-Identifier: Apache-2.0
// Quantised tensors: products in i32, scales in float.

#include "Ops.h"
#include "Window.h"
#include "smp/ir/ModelTypes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// A scale or zero point brought beside `x`: a scalar, one per element of
/// `axis`, or (21) one per block of `block` elements of `axis`.
static Value beside(Node &node, Value parameter, Value x, int64_t axis,
                    int64_t block) {
  Emitter &e = node.emit;
  if (!parameter)
    return {};
  if (typeOf(parameter).getNumElements() == 1 && rankOf(parameter) <= 1)
    return e.broadcastTo(e.reshape(parameter, {}), shapeOf(x));
  auto checked = node.checkAxis(axis, rankOf(x));
  if (!checked)
    return {};
  if (rankOf(parameter) == 1 && !block)
    return e.broadcastAlong(parameter, shapeOf(x), *checked);
  if (rankOf(parameter) != rankOf(x) || block < 1)
    return node.error("has a scale of rank " + Twine(rankOf(parameter)) +
                      " for a tensor of rank " + Twine(rankOf(x)));
  IntVector repeated, joined(shapeOf(parameter)), dims;
  for (auto [i, size] : llvm::enumerate(shapeOf(parameter))) {
    dims.push_back(int64_t(repeated.size()));
    repeated.push_back(size);
    if (int64_t(i) == *checked)
      repeated.push_back(block);
  }
  joined[*checked] *= block;
  Value wide = e.make<BroadcastOp>(parameter, {e.attr("dimensions", dims)},
                                   typeOf(parameter).clone(repeated));
  return e.slice(e.reshape(wide, joined), *checked, 0, dimOf(x, *checked));
}

/// "u8".
static StringRef nameOf(Type element) {
  std::optional<DType> dtype = toModel(element);
  return dtype ? toString(*dtype) : "another type";
}

/// round(x / scale) + zero point, to the nearest value of `type`.
static Value quantize(Emitter &e, Value x, Value scale, Value zero, Type type) {
  Value steps = e.unary<RoundOp>(e.binary<DivOp>(x, scale));
  if (!steps)
    return {};
  // Floats of 16 bits do not hold all steps of 16 bits.
  steps = e.convert(steps, e.accurate(elementOf(steps)));
  if (zero)
    steps = e.binary<AddOp>(steps, e.convert(zero, elementOf(steps)));
  return e.convert(steps, type);
}

void importQuantizeLinear(Node &node) {
  Emitter &e = node.emit;
  node.ignore("saturate");
  Value x = node[0];
  int64_t axis = node.integer("axis", 1), block = node.integer("block_size");
  Value scale = beside(node, node[1], x, axis, block);
  Value zero = beside(node, node[2], x, axis, block);
  Type type = zero ? elementOf(zero) : e.builder.getIntegerType(8, false);
  if (int64_t wanted = node.integer("output_dtype"))
    type = node.elementType(wanted);
  // The division is the scale's, unless said otherwise.
  Type precision = elementOf(scale);
  if (int64_t wanted = node.integer("precision"))
    precision = node.elementType(wanted);
  if (!scale || !type || !precision)
    return;
  if (!type.isInteger(8) && !type.isInteger(16))
    return (void)node.error("gives " + nameOf(type) +
                            "; it must be an integer of 8 or 16 bits");
  if (zero && elementOf(zero) != type)
    return (void)node.error("has a zero point of type " +
                            nameOf(elementOf(zero)) + "; its result is " +
                            nameOf(type));
  if (!isa<FloatType>(precision))
    precision = e.builder.getF32Type();
  node.set(quantize(e, e.convert(x, precision), e.convert(scale, precision),
                    zero, type));
}

void importDequantizeLinear(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  int64_t axis = node.integer("axis", 1), block = node.integer("block_size");
  Value scale = beside(node, node[1], x, axis, block);
  Value zero = beside(node, node[2], x, axis, block);
  Type i32 = e.builder.getI32Type();
  Type type = elementOf(scale);
  if (int64_t wanted = node.integer("output_dtype"))
    type = node.elementType(wanted);
  if (!scale || !type)
    return;
  if (!isa<FloatType>(type))
    return (void)node.error("gives " + nameOf(type) + "; it must be a float");
  if (zero && elementOf(zero) != elementOf(x))
    return (void)node.error("has a zero point of type " +
                            nameOf(elementOf(zero)) + "; its input is " +
                            nameOf(elementOf(x)));
  Value steps = e.convert(x, i32);
  if (zero)
    steps = e.binary<SubOp>(steps, e.convert(zero, i32));
  Type wide = e.accurate(type);
  Value result =
      e.binary<MulOp>(e.convert(steps, wide), e.convert(scale, wide));
  node.set(e.convert(result, type));
}

/// u8 with a scale that the tensor's own range gives, 0 included.
void importDynamicQuantizeLinear(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  Type u8 = e.builder.getIntegerType(8, false);
  IntVector all = range(rankOf(x));
  Value top = e.binary<MaxOp>(e.reduce(ReduceKind::Max, x, all, false), 0.0);
  Value low = e.binary<MinOp>(e.reduce(ReduceKind::Min, x, all, false), 0.0);
  Value scale = e.binary<DivOp>(e.binary<SubOp>(top, low), 255.0);
  Value zero = e.unary<RoundOp>(e.binary<DivOp>(e.unary<NegOp>(low), scale));
  zero = e.convert(zero, u8);
  node.set(0, quantize(e, x, e.broadcastTo(scale, shapeOf(x)),
                       e.broadcastTo(zero, shapeOf(x)), u8));
  node.set(1, scale);
  node.set(2, zero);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// `x` minus its zero point as i32. A vector of zero points lies along `axis`.
static Value centred(Emitter &e, Value x, Value zero, int64_t axis) {
  Type i32 = e.builder.getI32Type();
  Value wide = e.convert(x, i32);
  if (!zero || !x)
    return wide;
  Value point = e.convert(zero, i32);
  if (typeOf(point).getNumElements() == 1)
    return e.binary<SubOp>(wide, e.reshape(point, {}));
  if (rankOf(point) == 1 && axis >= 0 && axis < rankOf(x))
    return e.binary<SubOp>(wide, e.broadcastAlong(point, shapeOf(x), axis));
  return e.binary<SubOp>(wide, point);
}

void importMatMulInteger(Node &node) {
  Emitter &e = node.emit;
  Value a = node[0], b = node[1];
  Value left = centred(e, a, node[2], rankOf(a) - 2);
  node.set(e.matmul(left, centred(e, b, node[3], rankOf(b) - 1)));
}

static Value convolveIntegers(Node &node, Value x, Value filter) {
  Emitter &e = node.emit;
  auto spatial = spatialOf(node, x);
  if (!spatial || rankOf(filter) != rankOf(x))
    return node.error("has weights of another rank than its input");
  auto window =
      readWindow(node, *spatial, IntVector(shapeOf(filter).drop_front(2)));
  int64_t groups = node.integer("group", 1);
  if (!window)
    return {};
  auto attributes = windowAttributes(e, *window, /*withWindow=*/false);
  attributes.push_back(e.attr("groups", groups));
  return e.make<ConvOp>({x, filter}, attributes);
}

void importConvInteger(Node &node) {
  Emitter &e = node.emit;
  Value x = centred(e, node[0], node[2], -1);
  node.set(convolveIntegers(node, x, centred(e, node[1], node[3], 0)));
}

/// An i32 product to the result's scale and zero point.
static Value requantize(Emitter &e, Value product, Value inputScale,
                        Value weightScale, Value scale, Value zero) {
  Type f32 = e.builder.getF32Type();
  Value factor = e.binary<DivOp>(
      e.binary<MulOp>(e.convert(inputScale, f32), e.convert(weightScale, f32)),
      e.convert(scale, f32));
  Value steps =
      e.unary<RoundOp>(e.binary<MulOp>(e.convert(product, f32), factor));
  Value shifted = e.binary<AddOp>(steps, e.convert(zero, f32));
  return e.convert(shifted, elementOf(zero));
}

/// A parameter as a scalar, when it has one element.
static Value scalarOf(Emitter &e, Value parameter) {
  bool isOne = parameter && typeOf(parameter).getNumElements() == 1;
  return isOne ? e.reshape(parameter, {}) : parameter;
}

void importQLinearMatMul(Node &node) {
  Emitter &e = node.emit;
  Value a = node[0], b = node[3];
  Value product = e.matmul(centred(e, a, node[2], rankOf(a) - 2),
                           centred(e, b, node[5], rankOf(b) - 1));
  auto column = [&](Value scale) { // One per row of a.
    scale = scalarOf(e, scale);
    return rankOf(scale) == 1 ? e.unsqueeze(scale, 1) : scale;
  };
  node.set(requantize(e, product, column(node[1]), scalarOf(e, node[4]),
                      scalarOf(e, node[6]), scalarOf(e, node[7])));
}

void importQLinearConv(Node &node) {
  Emitter &e = node.emit;
  Value product = convolveIntegers(node, centred(e, node[0], node[2], -1),
                                   centred(e, node[3], node[5], 0));
  Value bias = node[8];
  if (!product)
    return;
  if (bias)
    product =
        e.binary<AddOp>(product, e.broadcastAlong(bias, shapeOf(product), 1));
  Value weightScale = scalarOf(e, node[4]);
  if (rankOf(weightScale) == 1)
    weightScale = e.broadcastAlong(weightScale, shapeOf(product), 1);
  node.set(requantize(e, product, scalarOf(e, node[1]), weightScale,
                      scalarOf(e, node[6]), scalarOf(e, node[7])));
}

} // namespace smp::frontend
