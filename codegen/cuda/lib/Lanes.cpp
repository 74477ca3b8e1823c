// SPDX-License-Identifier: Apache-2.0
// How many elements a thread takes at a time. Bits do not depend on it, but for
// reductions of rows, whose tree it is a part of: there it follows from the
// row's length alone, whatever else is in the kernel.

#include "Rows.h"
#include "Scatter.h"
#include "Strategy.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;

/// What a thread reads or writes at once, at most.
static constexpr int64_t kAccessBits = 128;

/// Whether neighbours along the last dimension begin at multiples of `lanes`
/// elements in memory, wherever they begin at one along that dimension.
static bool keepsPlaces(Value tensor, int64_t lanes) {
  ArrayRef<int64_t> shape = shapeOf(tensor);
  return shape.size() < 2 || shape.back() % lanes == 0;
}

static bool slicesTogether(ir::SliceOp op, int64_t lanes) {
  return op.getStrides().back() == 1 && op.getStarts().back() % lanes == 0 &&
         keepsPlaces(op.getInput(), lanes);
}

static bool isLast(int64_t dim, Value tensor) {
  return dim + 1 == int64_t(shapeOf(tensor).size());
}

static bool padsTogether(ir::PadOp op) {
  return !op.getLow().back() && !op.getHigh().back() &&
         !op.getInterior().back();
}

/// Whether `lanes` neighbours of the op's result are made of neighbours in its
/// operands, at multiples of `lanes`, or of what they share.
static bool takesTogether(Operation *op, int64_t lanes) {
  if (op->hasTrait<ir::trait::Elementwise>() ||
      isa<ir::ConstantOp, ir::IotaOp, ir::RandomOp>(op))
    return true;
  Value result = op->getResult(0);
  if (shapeOf(result).empty())
    return true;
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<ir::BroadcastOp>([&](auto broadcast) {
        return keepsPlaces(broadcast.getInput(), lanes);
      })
      .Case<ir::ReshapeOp>([&](auto reshape) {
        ArrayRef<int64_t> from = shapeOf(reshape.getInput());
        return !from.empty() && from.back() % lanes == 0;
      })
      .Case<ir::TransposeOp>([&](auto transpose) {
        return isLast(transpose.getPermutation().back(), result) &&
               keepsPlaces(transpose.getInput(), lanes);
      })
      .Case<ir::SliceOp>(
          [&](auto slice) { return slicesTogether(slice, lanes); })
      .Case<ir::ReverseOp>([&](auto reverse) {
        return llvm::none_of(reverse.getDimensions(),
                             [&](int64_t dim) { return isLast(dim, result); });
      })
      .Case<ir::PadOp>([&](auto pad) { return padsTogether(pad); })
      .Case<ir::ConcatOp>(
          [&](auto concat) { return !isLast(concat.getAxis(), result); })
      .Case<ir::ReduceOp>([&](auto reduce) {
        const int64_t last = int64_t(shapeOf(reduce.getInput()).size()) - 1;
        return !llvm::is_contained(reduce.getDimensions(), last) &&
               keepsPlaces(reduce.getInput(), lanes);
      })
      .Case<ir::GatherOp>([&](auto gather) {
        return !isLast(gather.getAxis(), gather.getInput()) &&
               keepsPlaces(gather.getInput(), lanes);
      })
      .Default([](Operation *) { return false; });
}

/// Bits of the widest element of the tensors of `elements` elements that the
/// group reads and writes.
static int64_t widestBits(ir::GroupOp group, int64_t elements) {
  int64_t bits = 8;
  auto visit = [&](Type type) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getNumElements() == elements)
      bits = std::max<int64_t>(
          bits, storageType(tensor.getElementType()).getIntOrFloatBitWidth());
  };
  llvm::for_each(group.getOperandTypes(), visit);
  llvm::for_each(group.getResultTypes(), visit);
  return bits;
}

static bool takesTogether(ir::GroupOp group, int64_t lanes) {
  return llvm::all_of(group.getBody().front().without_terminator(),
                      [&](Operation &op) { return takesTogether(&op, lanes); });
}

static int64_t loopLanes(ir::GroupOp group) {
  auto type = ir::tensorOf(group->getResult(0));
  const int64_t elements = type.getNumElements();
  int64_t lanes = kAccessBits / widestBits(group, elements);
  // A warp of vectors at least. A single dimension may have a rest.
  while (lanes > 1 && (elements < lanes * kWarpThreads ||
                       !keepsPlaces(group->getResult(0), lanes) ||
                       !takesTogether(group, lanes)))
    lanes /= 2;
  return lanes;
}

static int64_t columnLanes(ir::GroupOp group) {
  auto type = ir::tensorOf(group->getResult(0));
  const int64_t elements = type.getNumElements();
  // More states, and f64 of them, would not stay in registers.
  constexpr int64_t kMost = 4;
  int64_t lanes = std::min(kMost, kAccessBits / widestBits(group, elements));
  while (lanes > 1 &&
         (elements % lanes || !keepsPlaces(group->getResult(0), lanes) ||
          !takesTogether(group, lanes)))
    lanes /= 2;
  return lanes;
}

/// Whether what the group makes `tensor` of gives neighbours together.
static bool isMadeTogether(Value tensor, int64_t lanes) {
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return true;
  return takesTogether(op, lanes) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isMadeTogether(operand, lanes);
         });
}

/// Of a slice, where updates are sorted.
static int64_t scatterLanes(const Scatter &scatter) {
  if (!scatter.isSorted() || scatter.rowDims == size_t(scatter.type.getRank()))
    return 1;
  int64_t lanes =
      kAccessBits /
      storageType(scatter.type.getElementType()).getIntOrFloatBitWidth();
  while (lanes > 1 && (scatter.type.getShape().back() % lanes ||
                       !isMadeTogether(scatter.op->getOperand(0), lanes) ||
                       !isMadeTogether(scatter.op->getOperand(2), lanes)))
    lanes /= 2;
  return lanes;
}

int64_t lanesOf(ir::GroupOp group) {
  if (hasRows(group))
    return Rows(group).lanes;
  if (hasColumns(group))
    return columnLanes(group);
  switch (group.getStrategy()) {
  case ir::Strategy::Loop:
  case ir::Strategy::Concat:
  case ir::Strategy::Pad:
    return loopLanes(group);
  case ir::Strategy::Scatter:
    return scatterLanes(Scatter(group));
  default:
    return 1;
  }
}

} // namespace smp::codegen::cuda
