// SPDX-License-Identifier: Apache-2.0
// The builder's ops that move elements.

#include "BuilderState.h"

using namespace smp::ir;

namespace smp {

using frontend::Emitter;
using frontend::IntVector;
using frontend::Value;
using frontend::Values;
using llvm::Twine;

/// The sizes, with -1 replaced by what is left of `elements`.
static std::optional<Shape> fillIn(Emitter &e, Shape shape, int64_t elements) {
  int64_t *open = nullptr, known = 1;
  for (int64_t &size : shape) {
    if (size == -1 && open)
      return e.error("leaves two sizes of its shape open"), std::nullopt;
    if (size == -1)
      open = &size;
    else if (size < 0 || __builtin_mul_overflow(known, size, &known))
      return e.error("makes a tensor of shape " + toString(shape)),
             std::nullopt;
  }
  if (!open)
    return shape;
  if (known == 0 || elements % known != 0)
    return e.error("cannot divide " + Twine(elements) + " elements into " +
                   Twine(known)),
           std::nullopt;
  *open = elements / known;
  return shape;
}

Tensor GraphBuilder::reshape(const Tensor &x, const Shape &shape) {
  return state->op("reshape", x, [&](Emitter &e, Values v) {
    auto full = fillIn(e, shape, x.type().elements());
    return full ? e.reshape(v[0], *full) : Value();
  });
}

Tensor GraphBuilder::transpose(const Tensor &x, const Axes &permutation) {
  return state->op("transpose", x, [&](Emitter &e, Values v) {
    auto axes = state->axesOf(permutation, x.rank());
    return axes ? e.transpose(v[0], *axes) : Value();
  });
}

Tensor GraphBuilder::broadcast(const Tensor &x, const Shape &shape) {
  return state->op("broadcast", x, [&](Emitter &e, Values v) {
    return e.broadcastTo(v[0], shape);
  });
}

Tensor GraphBuilder::broadcast(const Tensor &x, const Shape &shape,
                               const Axes &dimensions) {
  return state->op("broadcast", x, [&](Emitter &e, Values v) {
    auto axes = state->axesOf(dimensions, int64_t(shape.size()));
    if (!axes)
      return Value();
    return e.make<BroadcastOp>(v[0], {e.attr("dimensions", *axes)},
                               frontend::typeOf(v[0]).clone(shape));
  });
}

Tensor GraphBuilder::slice(const Tensor &x, const Axes &starts,
                           const Axes &limits, const Axes &strides) {
  return state->op("slice", x, [&](Emitter &e, Values v) {
    return e.slice(v[0], starts, limits,
                   strides.empty() ? Axes(starts.size(), 1) : strides);
  });
}

Tensor GraphBuilder::reverse(const Tensor &x, const Axes &dimensions) {
  return state->op("reverse", x, [&](Emitter &e, Values v) {
    auto axes = state->axesOf(dimensions, x.rank());
    return axes ? e.reverse(v[0], *axes) : Value();
  });
}

Tensor GraphBuilder::pad(const Tensor &x, const Axes &low, const Axes &high,
                         double value, PadKind kind, const Axes &interior) {
  return state->op("pad", x, [&](Emitter &e, Values v) {
    return e.pad(v[0], low, high, e.scalar(frontend::elementOf(v[0]), value),
                 PadMode(int(kind)), interior);
  });
}

Tensor GraphBuilder::concat(const std::vector<Tensor> &inputs, int64_t axis) {
  return state->op("concat", inputs, [&](Emitter &e, Values v) {
    if (v.empty())
      return e.error("joins no tensors");
    auto along = state->axisOf(axis, inputs.front().rank());
    return along ? e.concat(v, *along) : Value();
  });
}

//===----------------------------------------------------------------------===//
// Indexing
//===----------------------------------------------------------------------===//

Tensor GraphBuilder::gather(const Tensor &x, const Tensor &indices,
                            int64_t axis) {
  return state->op("gather", {x, indices}, [&](Emitter &e, Values v) {
    auto along = state->axisOf(axis, x.rank());
    return along ? e.gather(v[0], v[1], *along) : Value();
  });
}

Tensor GraphBuilder::gatherElements(const Tensor &x, const Tensor &indices,
                                    int64_t axis) {
  return state->op("gather_elements", {x, indices}, [&](Emitter &e, Values v) {
    auto along = state->axisOf(axis, x.rank());
    return along ? e.make<GatherElementsOp>(v, {e.attr("axis", *along)})
                 : Value();
  });
}

Tensor GraphBuilder::gatherNd(const Tensor &x, const Tensor &indices,
                              int64_t batchDims) {
  return state->op("gather_nd", {x, indices}, [&](Emitter &e, Values v) {
    return e.make<GatherNdOp>(v, {e.attr("batch_dims", batchDims)});
  });
}

static mlir::NamedAttribute scatterKind(Emitter &e, Scatter kind) {
  return e.attr("kind", ScatterKindAttr::get(e.builder.getContext(),
                                             ScatterKind(int(kind))));
}

Tensor GraphBuilder::scatterElements(const Tensor &x, const Tensor &indices,
                                     const Tensor &updates, int64_t axis,
                                     Scatter kind) {
  return state->op(
      "scatter_elements", {x, indices, updates}, [&](Emitter &e, Values v) {
        auto along = state->axisOf(axis, x.rank());
        if (!along)
          return Value();
        return e.make<ScatterElementsOp>(
            v, {e.attr("axis", *along), scatterKind(e, kind)}, v[0].getType());
      });
}

Tensor GraphBuilder::scatterNd(const Tensor &x, const Tensor &indices,
                               const Tensor &updates, Scatter kind) {
  return state->op(
      "scatter_nd", {x, indices, updates}, [&](Emitter &e, Values v) {
        return e.make<ScatterNdOp>(v, {scatterKind(e, kind)}, v[0].getType());
      });
}

std::vector<Tensor> GraphBuilder::gradients(const Tensor &loss,
                                            const std::vector<Tensor> &values) {
  llvm::SmallVector<Tensor> operands{loss}, results;
  operands.append(values.begin(), values.end());
  state->opWithResults(
      "gradient", operands,
      [&](Emitter &e, Values v, llvm::SmallVectorImpl<Value> &made) {
        mlir::ValueRange of(v.drop_front());
        auto op = GradientOp::create(e.builder, e.location, mlir::TypeRange(of),
                                     v.front(), of);
        if (succeeded(op.verify()))
          made.append(op.result_begin(), op.result_end());
      },
      results);
  return {results.begin(), results.end()};
}

TopK GraphBuilder::topK(const Tensor &x, int64_t k, int64_t axis,
                        TopKOf which) {
  llvm::SmallVector<Tensor> results;
  state->opWithResults(
      "top_k", x,
      [&](Emitter &e, Values v, llvm::SmallVectorImpl<Value> &made) {
        auto along = state->axisOf(axis, x.rank());
        bool isLargest = which == TopKOf::Largest;
        if (along)
          e.makeMany(TopKOp::getOperationName(), v,
                     {e.attr("axis", *along), e.attr("k", k),
                      e.attr("largest", e.builder.getBoolAttr(isLargest))},
                     {}, made);
      },
      results);
  return results.empty() ? TopK() : TopK{results[0], results[1]};
}

} // namespace smp
