// SPDX-License-Identifier: Apache-2.0
// Elements of windows and products, and of the places of extremes, as loops
// around the element. The order is row-major over what is combined. Strategies
// with better loops take the common shapes; these rules serve every other.

#include "ReduceRule.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/ArgReduce.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::codegen {

using ir::tensorOf;

Value emitTakesPlace(ElementEmitter &emitter, ir::ArgReduceOp op, Value later,
                     Value best) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  Type element = tensorOf(op.getInput()).getElementType();
  const bool isMax = op.getKind() == ir::ReduceKind::Max;
  if (isa<FloatType>(element)) {
    using F = arith::CmpFPredicate;
    F order = op.getSelectLast() ? (isMax ? F::OGE : F::OLE)
                                 : (isMax ? F::OGT : F::OLT);
    Value beats = arith::CmpFOp::create(b, loc, order, later, best);
    // The first NaN wins and stays.
    Value isNan = arith::CmpFOp::create(b, loc, F::UNO, later, later);
    Value bestIsNumber = arith::CmpFOp::create(b, loc, F::ORD, best, best);
    return arith::OrIOp::create(
        b, loc, beats, arith::AndIOp::create(b, loc, isNan, bestIsNumber));
  }
  using I = arith::CmpIPredicate;
  const bool isLast = op.getSelectLast();
  I order =
      element.isUnsignedInteger()
          ? (isLast ? (isMax ? I::uge : I::ule) : (isMax ? I::ugt : I::ult))
          : (isLast ? (isMax ? I::sge : I::sle) : (isMax ? I::sgt : I::slt));
  return arith::CmpIOp::create(b, loc, order, later, best);
}

static Value emitArgReduce(ElementEmitter &emitter, ir::ArgReduceOp op,
                           const Position &at) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  RankedTensorType input = tensorOf(op.getInput());
  int64_t axis = op.getAxis();
  auto elementAt = [&](const Index &i) {
    Position position(at.begin(), at.begin() + axis);
    position.push_back(i);
    position.append(at.begin() + axis, at.end());
    return widen(emitter, emitter.element(op.getInput(), position), at);
  };
  Value zero = widen(
      emitter, arith::ConstantIntOp::create(b, loc, b.getI64Type(), 0), at);
  return emitter.loop(
      1, input.getDimSize(axis), 1, {elementAt(Index(0)), zero},
      [&](Index i, ValueRange carried) -> SmallVector<Value> {
        Value value = elementAt(i), best = carried[0];
        Value better = emitTakesPlace(emitter, op, value, best);
        Value position = arith::IndexCastOp::create(
            b, loc, b.getI64Type(), emitter.space.emit(b, loc, i));
        position = widen(emitter, position, at);
        return {arith::SelectOp::create(b, loc, better, value, best),
                arith::SelectOp::create(b, loc, better, position, carried[1])};
      })[1];
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

SmallVector<Value> windowLoops(
    ElementEmitter &emitter, const ir::WindowDims &dims,
    ArrayRef<int64_t> input, ArrayRef<Index> out, ValueRange carried,
    function_ref<SmallVector<Value>(const Position &window,
                                    const Position &spatial, ValueRange)>
        body) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  std::function<SmallVector<Value>(Position, Position, ValueRange)> level =
      [&](Position window, Position spatial,
          ValueRange values) -> SmallVector<Value> {
    size_t d = window.size();
    if (d == input.size())
      return body(window, spatial, values);
    int64_t dilation = dims.dilations[d], size = dims.window[d];
    Index base = out[d] * dims.strides[d] - dims.low[d];
    auto step = [&](Index k, ValueRange inner) {
      Position w = window, s = spatial;
      w.push_back(k);
      s.push_back(base + k * dilation);
      return level(w, s, inner);
    };
    auto [least, greatest] = emitter.space.range(base);
    if (least >= 0 && greatest + (size - 1) * dilation < input[d])
      return emitter.loop(0, size, 1, values, step);
    // First k with base + k * dilation >= 0, and first with >= input.
    auto firstAtLeast = [&](int64_t bound) -> Value {
      Index distance = base * -1 + Index(bound + dilation - 1);
      Value value = emitter.space.emit(b, loc, distance);
      if (dilation != 1)
        value = arith::FloorDivSIOp::create(b, loc, value,
                                            emitter.indexConstant(dilation));
      value = arith::MaxSIOp::create(b, loc, value, emitter.indexConstant(0));
      return arith::MinSIOp::create(b, loc, value, emitter.indexConstant(size));
    };
    SmallVector<Value> results = emitter.loop(
        firstAtLeast(0), firstAtLeast(input[d]), 0, size, values, step);
    ElementEmitter::keepLoop(results);
    return results;
  };
  return level({}, {}, carried);
}

/// The spatial indices of `at`, a position in an activation.
static Position spatialOf(const Position &at, const ir::ActivationDims &dims) {
  auto first = at.begin() + dims.firstSpatialDim;
  return Position(first, first + dims.spatial.size());
}

/// A position in an activation from its parts.
static Position activationAt(const ir::ActivationDims &dims, Index batch,
                             Index feature, const Position &spatial) {
  Position at{batch};
  at.append(spatial);
  at.insert(at.begin() + dims.featureDim, feature);
  return at;
}

static Value emitWindowReduce(ElementEmitter &emitter, ir::WindowReduceOp op,
                              const Position &at) {
  ir::ActivationDims dims(tensorOf(op.getInput()), op.getLayout());
  Type element = tensorOf(op.getInput()).getElementType();
  ir::WindowDims window{op.getWindow(), op.getStrides(), op.getLow(),
                        op.getHigh(), op.getDilations()};
  Position spatial = spatialOf(at, dims);
  if (ElementEmitter::hasLane(spatial))
    return emitter.perLane(computeType(element), [&](int64_t lane) {
      return emitter.element(op.getResult(), ElementEmitter::atLane(at, lane));
    });
  auto walk = [&](const Reducer &reducer) {
    return windowLoops(
        emitter, window, dims.spatial, spatial,
        {widen(emitter, reducer.start(), at)},
        [&](const Position &, const Position &from, ValueRange state) {
          Position position =
              activationAt(dims, at[0], at[dims.featureDim], from);
          Value value =
              widen(emitter, emitter.element(op.getInput(), position), at);
          return SmallVector<Value>{reducer.add(state[0], value)};
        })[0];
  };
  Reducer reducer(emitter, op.getKind(), element);
  return reducer.finish(walk(reducer), walk);
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// sum + a * b.
static Value multiplyAdd(ElementEmitter &emitter, Type element, Value a,
                         Value b, Value sum) {
  if (isa<FloatType>(element))
    return emitFma(emitter.builder, emitter.location, a, b, sum);
  Value product =
      arith::MulIOp::create(emitter.builder, emitter.location, a, b);
  return arith::AddIOp::create(emitter.builder, emitter.location, sum, product);
}

static Value emitDot(ElementEmitter &emitter, ir::DotGeneralOp op,
                     const Position &at) {
  RankedTensorType lhs = tensorOf(op.getLhs()), rhs = tensorOf(op.getRhs());
  Type element = lhs.getElementType();
  SmallVector<int64_t> sizes;
  for (int64_t dim : op.getLhsContract())
    sizes.push_back(lhs.getDimSize(dim));
  // Fills an operand's position: batch, contracted, then free dims in order.
  size_t batch = op.getLhsBatch().size();
  size_t lhsFree = lhs.getRank() - batch - sizes.size();
  auto place = [&](ArrayRef<int64_t> batchDims, ArrayRef<int64_t> contractDims,
                   int64_t rank, size_t firstFree, const Position &inner) {
    Position position(rank);
    size_t free = firstFree;
    for (int64_t dim = 0; dim < rank; ++dim) {
      const int64_t *b = llvm::find(batchDims, dim),
                    *c = llvm::find(contractDims, dim);
      if (b != batchDims.end())
        position[dim] = at[b - batchDims.begin()];
      else if (c != contractDims.end())
        position[dim] = inner[c - contractDims.begin()];
      else
        position[dim] = at[free++];
    }
    return position;
  };
  Value start = widen(emitter, emitter.constant(element, 0), at);
  return nest(
      emitter, sizes, {start}, [&](const Position &inner, ValueRange carried) {
        Value a = emitter.element(op.getLhs(),
                                  place(op.getLhsBatch(), op.getLhsContract(),
                                        lhs.getRank(), batch, inner));
        Value b = emitter.element(op.getRhs(),
                                  place(op.getRhsBatch(), op.getRhsContract(),
                                        rhs.getRank(), batch + lhsFree, inner));
        a = widen(emitter, a, at);
        b = widen(emitter, b, at);
        return SmallVector<Value>{
            multiplyAdd(emitter, element, a, b, carried[0])};
      })[0];
}

static Value emitConv(ElementEmitter &emitter, ir::ConvOp op,
                      const Position &at) {
  ir::ActivationDims dims(tensorOf(op.getInput()), op.getLayout());
  RankedTensorType filter = tensorOf(op.getFilter());
  Type element = filter.getElementType();
  Position spatial = spatialOf(at, dims);
  Index feature = at[dims.featureDim];
  int64_t perGroup = filter.getDimSize(0) / op.getGroups();
  Index group, within;
  if (ElementEmitter::hasLane(spatial) ||
      !emitter.space.divide(emitter.builder, emitter.location, feature,
                            perGroup, group, within))
    return emitter.perLane(computeType(element), [&](int64_t lane) {
      return emitter.element(op.getResult(), ElementEmitter::atLane(at, lane));
    });
  ir::WindowDims window{filter.getShape().drop_front(2), op.getStrides(),
                        op.getLow(), op.getHigh(), op.getDilations()};
  int64_t depth = filter.getDimSize(1);
  Value start = widen(emitter, emitter.constant(element, 0), at);
  return windowLoops(
      emitter, window, dims.spatial, spatial, {start},
      [&](const Position &tap, const Position &from, ValueRange carried) {
        return emitter.loop(
            0, depth, 1, carried, [&](Index c, ValueRange inner) {
              Position filterAt{feature, c};
              filterAt.append(tap);
              Value w = emitter.element(op.getFilter(), filterAt);
              Value x = emitter.element(
                  op.getInput(),
                  activationAt(dims, at[0], group * depth + c, from));
              return SmallVector<Value>{
                  multiplyAdd(emitter, element, widen(emitter, x, at),
                              widen(emitter, w, at), inner[0])};
            });
      })[0];
}

Value emitReductionOp(ElementEmitter &emitter, Value result,
                      const Position &at) {
  return llvm::TypeSwitch<Operation *, Value>(result.getDefiningOp())
      .Case<ir::ReduceOp>(
          [&](auto op) { return emitReduce(emitter, op, at).front(); })
      .Case<ir::ArgReduceOp>(
          [&](auto op) { return emitArgReduce(emitter, op, at); })
      .Case<ir::WindowReduceOp>(
          [&](auto op) { return emitWindowReduce(emitter, op, at); })
      .Case<ir::DotGeneralOp>([&](auto op) { return emitDot(emitter, op, at); })
      .Case<ir::ConvOp>([&](auto op) { return emitConv(emitter, op, at); });
}

bool isPullable(Operation *op) {
  return op->hasTrait<ir::trait::Elementwise>() ||
         isa<ir::IotaOp, ir::RandomOp, ir::ReshapeOp, ir::BroadcastOp,
             ir::TransposeOp, ir::SliceOp, ir::ReverseOp, ir::PadOp,
             ir::ConcatOp, ir::GatherOp, ir::GatherElementsOp, ir::GatherNdOp,
             ir::ReduceOp, ir::ArgReduceOp, ir::WindowReduceOp,
             ir::DotGeneralOp, ir::ConvOp>(op) ||
         (isa<ir::ConstantOp>(op) &&
          cast<DenseElementsAttr>(cast<ir::ConstantOp>(op).getValue())
              .isSplat());
}

} // namespace smp::codegen
