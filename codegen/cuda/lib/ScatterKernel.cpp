// SPDX-License-Identifier: Apache-2.0
// Strategy "scatter": updates in an order that the op fixes. Where there are
// many, they are sorted by the rows that they fall on.

#include "Scatter.h"
#include "Strategy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "smp/codegen/Reducer.h"
#include "smp/codegen/Sequences.h"
#include "smp/ir/Tensors.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen::cuda {

using ir::tensorOf;

static Operation *scatterOf(ir::GroupOp group) {
  return group.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
}

static int64_t productOf(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<>());
}

Scatter::Scatter(ir::GroupOp group)
    : op(scatterOf(group)), elements(dyn_cast<ir::ScatterElementsOp>(op)),
      kind(elements ? elements.getKind() : cast<ir::ScatterNdOp>(op).getKind()),
      type(tensorOf(op->getOperand(0))), indices(tensorOf(op->getOperand(1))),
      updates(tensorOf(op->getOperand(2))),
      axis(elements ? int64_t(elements.getAxis()) : 0) {
  rowDims = size_t(elements ? type.getRank() : indices.getShape().back());
  updateDims = size_t(elements ? updates.getRank() : indices.getRank() - 1);
  rows = productOf(type.getShape().take_front(rowDims));
  slice = productOf(type.getShape().drop_front(rowDims));
  count = productOf(updates.getShape().take_front(updateDims));
}

int64_t Scatter::bound(size_t i) const {
  return type.getDimSize(elements ? axis : int64_t(i));
}

bool Scatter::isSorted() const {
  // A thread that looks at few updates is done before they are sorted.
  constexpr int64_t kFewUpdates = 4, kFewLooks = int64_t(1) << 16;
  const int64_t made = rows * slice;
  return made > 0 && updates.getNumElements() > 0 && count > kFewUpdates &&
         count * made > kFewLooks &&
         std::max(rows, count) <= SortPlan::kMostElements;
}

SortPlan Scatter::sort() const {
  return {/*lines=*/1, count, /*kept=*/count, /*keyBits=*/32};
}

Value Scatter::combine(ElementEmitter &emitter, Value sum, Value value) const {
  if (kind == ir::ScatterKind::Replace)
    return value;
  Type element = type.getElementType();
  Value next =
      codegen::combine(emitter, reduceKindOf(kind), element, sum, value);
  const bool adds =
      kind == ir::ScatterKind::Sum || kind == ir::ScatterKind::Prod;
  return adds ? next : emitter.round(next, element);
}

KernelPlan planScatter(ir::GroupOp group) {
  KernelPlan whole = KernelPlan::inOneLaunch(group);
  const Scatter scatter(group);
  if (!scatter.isSorted())
    return whole;
  const SortPlan sort = scatter.sort();
  const PlannedLaunch &all = whole.launches.front();
  KernelPlan plan;
  plan.temporaries = sort.temporaries(sort.steps.size());
  for (size_t step = 0; step < sort.steps.size(); ++step)
    plan.launches.push_back(
        {step == 0 ? all.inputs : sort.given(step - 1), sort.given(step)});
  plan.launches.push_back({all.inputs, all.outputs});
  llvm::append_range(plan.launches.back().inputs,
                     sort.given(sort.steps.size() - 1));
  return plan;
}

/// The row that update `number` falls on as a key; the last of all where an
/// index is out of range, which is reported.
static Value rowOf(ElementEmitter &emitter, const Scatter &scatter,
                   const Index &number) {
  OpBuilder &b = emitter.builder;
  Location loc = emitter.location;
  const Position from = emitter.split(
      number, scatter.updates.getShape().take_front(scatter.updateDims));
  Value isInside = arith::ConstantIntOp::create(b, loc, b.getI1Type(), 1);
  Value zero = arith::ConstantIntOp::create(b, loc, b.getI64Type(), 0);
  auto indexAt = [&](const Position &where, size_t i) {
    Value index = emitter.element(scatter.op->getOperand(1), where);
    const int64_t bound = scatter.bound(i);
    Value inside = emitter.checkIndex(index, bound, scatter.op);
    isInside = arith::AndIOp::create(b, loc, isInside, inside);
    Value safe = arith::SelectOp::create(b, loc, inside, index, zero);
    return emitter.space.add(
        arith::IndexCastOp::create(b, loc, b.getIndexType(), safe), 0,
        bound - 1);
  };
  Position row;
  if (scatter.elements) {
    row = from;
    row[size_t(scatter.axis)] = indexAt(from, 0);
  } else {
    for (size_t i = 0; i < scatter.rowDims; ++i) {
      Position where = from;
      where.push_back(Index(int64_t(i)));
      row.push_back(indexAt(where, i));
    }
  }
  Type i32 = b.getI32Type();
  const Index line =
      linearize(row, scatter.type.getShape().take_front(scatter.rowDims));
  return arith::SelectOp::create(
      b, loc, isInside,
      arith::IndexCastUIOp::create(b, loc, i32,
                                   emitter.space.emit(b, loc, line)),
      arith::ConstantIntOp::create(b, loc, i32, int64_t(-1)));
}

void emitScatterKernel(KernelFunction &kernel) {
  const Scatter scatter(kernel.group);
  if (!scatter.isSorted())
    return emitFewUpdates(kernel, scatter);
  const SortPlan sort = scatter.sort();
  if (kernel.part == sort.steps.size())
    return emitSortedScatter(kernel, scatter);
  emitSortStep(kernel, sort, kernel.part,
               {[&](const Index &, const Index &number) {
                  return rowOf(kernel.emitter, scatter, number);
                },
                nullptr});
}

} // namespace smp::codegen::cuda
