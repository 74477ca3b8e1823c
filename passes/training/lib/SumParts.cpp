// SPDX-License-Identifier: Apache-2.0
#include "SumParts.h"
#include "mlir/IR/Matchers.h"
#include "smp/ir/Constants.h"
#include "smp/ir/Tensors.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {
/// A tensor of zeros but for `inner`, which begins at `low` of one axis and has
/// the tensor's size along all others.
struct Surrounded {
  Value inner, zero;
  int64_t axis, low, high;

  int64_t end() const { return low + tensorOf(inner).getDimSize(axis); }
};
} // namespace

static bool isZero(Value value) {
  return matchPattern(value, m_AnyZeroFloat());
}

static std::optional<Surrounded> surrounded(Value value) {
  auto pad = value.getDefiningOp<PadOp>();
  if (!pad || pad.getMode() != PadMode::Constant || !isZero(pad.getValue()) ||
      llvm::any_of(pad.getInterior(), [](int64_t n) { return n != 0; }))
    return {};
  std::optional<Surrounded> found;
  for (auto [axis, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (found || low < 0 || high < 0)
      return {};
    found = {pad.getInput(), pad.getValue(), int64_t(axis), low, high};
  }
  return found;
}

/// The inputs of what is already put side by side, or the value.
static void appendInputs(SmallVectorImpl<Value> &inputs,
                         const Surrounded &part) {
  auto concat = part.inner.getDefiningOp<ConcatOp>();
  if (concat && int64_t(concat.getAxis()) == part.axis && concat->hasOneUse())
    llvm::append_range(inputs, concat.getInputs());
  else
    inputs.push_back(part.inner);
}

/// x + y when one begins where the other ends; null otherwise.
static Value putSideBySide(OpBuilder &b, Location location, Value x, Value y) {
  std::optional<Surrounded> first = surrounded(x), second = surrounded(y);
  if (!first || !second || first->axis != second->axis)
    return {};
  if (second->end() == first->low)
    std::swap(first, second);
  if (first->end() != second->low)
    return {};
  SmallVector<Value> inputs;
  appendInputs(inputs, *first);
  appendInputs(inputs, *second);
  Value joined = ConcatOp::create(b, location, inputs, first->axis);
  if (first->low == 0 && second->high == 0)
    return joined;
  auto rank = size_t(tensorOf(x).getRank());
  SmallVector<int64_t> low(rank, 0), high(rank, 0), interior(rank, 0);
  low[size_t(first->axis)] = first->low;
  high[size_t(first->axis)] = second->high;
  return PadOp::create(b, location, joined, first->zero, low, high, interior,
                       PadMode::Constant);
}

Value sumParts(OpBuilder &builder, Location location, ArrayRef<Value> parts) {
  Value sum = parts.front();
  for (Value part : parts.drop_front()) {
    Value joined = putSideBySide(builder, location, sum, part);
    sum = joined ? joined : AddOp::create(builder, location, sum, part);
  }
  return sum;
}

} // namespace smp::passes
