// SPDX-License-Identifier: Apache-2.0
// Operators whose result is known while compiling.

#include "../Importer.h"
#include "Ops.h"
#include "smp/ir/ModelTypes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// What the first output is called and used for.
static std::string resultName(Node &node) {
  return node.scope.frame.prefix + node.proto.output(0);
}
static Role resultRole(Node &node) {
  return node.scope.roles.lookup(node.proto.output(0));
}

void importConstant(Node &node) {
  Emitter &e = node.emit;
  if (onnx::TensorProto *tensor = node.tensor("value"))
    return node.set(
        node.importer.literal(*tensor, resultName(node), resultRole(node)));
  Type f32 = e.builder.getF32Type(), i64 = e.builder.getI64Type();
  auto floats = node.numbers("value_floats");
  auto integers = node.integers("value_ints");
  if (node.hasAttr("value_float"))
    return node.set(e.scalar(f32, node.number("value_float")));
  if (node.hasAttr("value_int"))
    return node.set(e.ints({node.integer("value_int")}, {}));
  if (floats) {
    auto type = RankedTensorType::get({int64_t(floats->size())}, f32);
    SmallVector<Attribute> values;
    for (double value : *floats)
      values.push_back(e.builder.getF32FloatAttr(float(value)));
    return node.set(e.constant(DenseElementsAttr::get(type, values)));
  }
  if (integers)
    return node.set(e.constant(DenseElementsAttr::get(
        RankedTensorType::get({int64_t(integers->size())}, i64),
        Ints(*integers))));
  node.error("holds no tensor, number or list of numbers");
}

void importConstantOfShape(Node &node) {
  Emitter &e = node.emit;
  auto shape = node.sizes(0, "shape");
  onnx::TensorProto *tensor = node.tensor("value");
  if (!shape)
    return;
  Value fill = tensor ? node.importer.literal(*tensor, "value", Role::None)
                      : e.scalar(e.builder.getF32Type(), 0);
  DenseElementsAttr value = constantOf(fill);
  if (!value || value.getNumElements() != 1)
    return (void)node.error("fills with something else than one number");
  // Checks the shape before it becomes a type that others count on.
  if (!e.splat(RankedTensorType::get(*shape, elementOf(fill)), 0))
    return;
  auto type = RankedTensorType::get(*shape, elementOf(fill));
  if (isFloat(fill))
    return node.set(
        node.importer.splatLiteral(type, constantDoubles(fill)->front(),
                                   resultName(node), resultRole(node)));
  node.set(e.constant(value.reshape(RankedTensorType::get({}, elementOf(fill)))
                          .resizeSplat(type)));
}

void importRange(Node &node) {
  Emitter &e = node.emit;
  node.ignore("stash_type"); // Of floats of 16 bits.
  auto start = node.constantNumbers(0, "start");
  auto limit = node.constantNumbers(1, "limit");
  auto delta = node.constantNumbers(2, "delta");
  if (!start || !limit || !delta)
    return;
  if (start->size() != 1 || limit->size() != 1 || delta->size() != 1 ||
      delta->front() == 0)
    return (void)node.error("needs a start, a limit and a delta that is not 0");
  double count = std::ceil((limit->front() - start->front()) / delta->front());
  if (!(std::abs(count) < double(kMaxElements)))
    return (void)node.error("counts " + Twine(std::to_string(count)) +
                            " numbers");
  Type element = elementOf(node[0]), wide = element;
  if (isFloat(node[0]) && element.getIntOrFloatBitWidth() < 32)
    wide = node.elementType(node.integer("stash_type", 1));
  if (!wide)
    return;
  Value index = e.iota(wide, {std::max<int64_t>(int64_t(count), 0)}, 0);
  Value scaled = e.binary<MulOp>(index, e.convert(node[2], wide));
  node.set(
      e.convert(e.binary<AddOp>(scaled, e.convert(node[0], wide)), element));
}

void importEyeLike(Node &node) {
  Emitter &e = node.emit;
  Value x = node[0];
  Type element = elementOf(x);
  if (node.hasAttr("dtype"))
    element = node.elementType(node.integer("dtype"));
  int64_t k = node.integer("k");
  if (!element)
    return;
  if (rankOf(x) != 2)
    return (void)node.error("takes a matrix, not a tensor of rank " +
                            Twine(rankOf(x)));
  Type i64 = e.builder.getI64Type();
  Value row = e.binary<AddOp>(e.iota(i64, shapeOf(x), 0), double(k));
  Value column = e.iota(i64, shapeOf(x), 1);
  node.set(e.convert(e.compare(Direction::EQ, row, column), element));
}

void importShape(Node &node) {
  int64_t rank = rankOf(node[0]);
  auto clampTo = [&](int64_t bound) {
    return std::clamp<int64_t>(fromEnd(bound, rank), 0, rank);
  };
  int64_t start = clampTo(node.integer("start", 0));
  int64_t end = clampTo(node.integer("end", rank));
  Ints shape = shapeOf(node[0]);
  Ints sizes = start < end ? shape.slice(start, end - start) : Ints();
  node.set(node.emit.asked(sizes, {int64_t(sizes.size())}));
}

void importSize(Node &node) {
  int64_t count = typeOf(node[0]).getNumElements();
  node.set(node.emit.asked({count}, {}));
}

} // namespace smp::frontend
