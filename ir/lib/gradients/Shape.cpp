// SPDX-License-Identifier: Apache-2.0
// Gradients of ops that move elements: the same moves backwards.

#include "Rules.h"

using namespace mlir;
using namespace smp::ir;

LogicalResult ReshapeOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.reshape(g.ofResult(), tensorOf(getInput()).getShape()));
  return success();
}

LogicalResult TransposeOp::buildGradients(GradientBuilder &g) {
  SmallVector<int64_t> inverse(getPermutation().size());
  for (auto [to, from] : llvm::enumerate(getPermutation()))
    inverse[from] = int64_t(to);
  g.give(0, g.transpose(g.ofResult(), inverse));
  return success();
}

LogicalResult ReverseOp::buildGradients(GradientBuilder &g) {
  g.give(0, g.make<ReverseOp>(getType(), g.ofResult(), getDimensions()));
  return success();
}

LogicalResult BroadcastOp::buildGradients(GradientBuilder &g) {
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  SmallVector<int64_t> repeated;
  for (int64_t dim = 0; dim < result.getRank(); ++dim) {
    const int64_t *found = llvm::find(getDimensions(), dim);
    int64_t size = found == getDimensions().end()
                       ? 1
                       : input.getDimSize(found - getDimensions().begin());
    if (size != result.getDimSize(dim))
      repeated.push_back(dim);
  }
  g.give(0, g.reshape(g.sum(g.ofResult(), repeated), input.getShape()));
  return success();
}

/// How far `count` elements reach, each `stride` after the one before.
static int64_t reachOf(int64_t count, int64_t stride) {
  return count == 0 ? 0 : (count - 1) * stride + 1;
}

LogicalResult SliceOp::buildGradients(GradientBuilder &g) {
  RankedTensorType input = tensorOf(getInput()), result = tensorOf(getResult());
  SmallVector<int64_t> high, interior;
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t stride = getStrides()[dim];
    interior.push_back(stride - 1);
    high.push_back(input.getDimSize(dim) - getStarts()[dim] -
                   reachOf(result.getDimSize(dim), stride));
  }
  g.give(0, g.pad(g.ofResult(), getStarts(), high, interior));
  return success();
}

LogicalResult ConcatOp::buildGradients(GradientBuilder &g) {
  int64_t start = 0;
  for (auto [i, input] : llvm::enumerate(getInputs())) {
    int64_t size = tensorOf(input).getDimSize(getAxis());
    if (g.wants(i)) {
      SmallVector<int64_t> limits(tensorOf(getResult()).getShape()),
          starts(limits.size(), 0), strides(limits.size(), 1);
      starts[getAxis()] = start;
      limits[getAxis()] = start + size;
      g.give(i, g.make<SliceOp>(g.ofResult(), starts, limits, strides));
    }
    start += size;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// pad
//===----------------------------------------------------------------------===//

/// Takes away what a pad of mode `constant` added, and puts zeros where it
/// removed elements.
static Value unpad(GradientBuilder &g, PadOp op) {
  ArrayRef<int64_t> shape = tensorOf(op.getInput()).getShape();
  SmallVector<int64_t> low, high, limits, strides;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    low.push_back(-op.getLow()[dim]);
    high.push_back(-op.getHigh()[dim]);
    strides.push_back(op.getInterior()[dim] + 1);
    limits.push_back(reachOf(shape[dim], strides.back()));
  }
  SmallVector<int64_t> zeros(shape.size(), 0);
  Value inside = g.pad(g.ofResult(), low, high, zeros);
  if (llvm::all_of(strides, [](int64_t stride) { return stride == 1; }))
    return inside;
  return g.make<SliceOp>(inside, zeros, limits, strides);
}

/// The element that a pad of mode edge, reflect or wrap puts at `at`, which
/// counts from the first element of the input.
static int64_t copiedFrom(PadMode mode, int64_t at, int64_t size) {
  switch (mode) {
  case PadMode::Constant:
    break;
  case PadMode::Edge:
    return std::clamp<int64_t>(at, 0, size - 1);
  case PadMode::Reflect:
    return at < 0 ? -at : at >= size ? 2 * (size - 1) - at : at;
  case PadMode::Wrap:
    return at < 0 ? at + size : at >= size ? at - size : at;
  }
  llvm_unreachable("a constant is copied from nowhere");
}

/// Adds each element to the one that it was copied from, one dimension after
/// the other.
static Value addCopies(GradientBuilder &g, PadOp op) {
  RankedTensorType input = tensorOf(op.getInput());
  Value result = g.ofResult();
  for (int64_t dim = 0; dim < input.getRank(); ++dim) {
    int64_t low = op.getLow()[dim], size = input.getDimSize(dim);
    if (low == 0 && op.getHigh()[dim] == 0)
      continue;
    SmallVector<int64_t> from;
    for (int64_t at = 0; at < tensorOf(result).getDimSize(dim); ++at)
      from.push_back(copiedFrom(op.getMode(), at - low, size));
    auto type = RankedTensorType::get(int64_t(from.size()),
                                      g.getBuilder().getI64Type());
    Value indices = constantOf(g.getBuilder(), g.getLoc(), type, from);
    result = addGathered(g, result, indices, dim, size);
  }
  return result;
}

LogicalResult PadOp::buildGradients(GradientBuilder &g) {
  if (getMode() != PadMode::Constant) {
    if (g.wants(0))
      g.give(0, addCopies(g, *this));
    return success();
  }
  Value inside = unpad(g, *this);
  if (g.wants(0))
    g.give(0, inside);
  if (g.wants(1)) {
    SmallVector<int64_t> all = rangeOf(0, tensorOf(getResult()).getRank());
    g.give(1, g.sub(g.sum(g.ofResult(), all), g.sum(inside, all)));
  }
  return success();
}
