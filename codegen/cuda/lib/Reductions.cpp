// SPDX-License-Identifier: Apache-2.0
// Which kernel a reduction gets. The op and its shape decide it: fusion gives a
// loop one reduction, and elementwise ops on what that takes and gives.

#include "Product.h"
#include "Strategy.h"
#include "smp/codegen/Reducer.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::codegen::cuda {

using ir::shapeOf;

/// Fewer elements of a result are one thread's.
static constexpr int64_t kLeastDepth = 32;

/// The only reduction of the group, of the type that is asked for, where each
/// of its results gives those of the group at its place.
template <typename Op, typename Other>
static std::optional<Op> onlyReduction(ir::GroupOp group) {
  Block &body = group.getBody().front();
  auto reductions = body.getOps<Op>();
  if (group.getStrategy() != ir::Strategy::Loop ||
      !llvm::hasSingleElement(reductions) ||
      llvm::any_of(body, [](Operation &op) {
        return isa<Other>(op) || Product::of(&op);
      }))
    return std::nullopt;
  Op op = *reductions.begin();
  auto isAtItsPlace = [](Operation *user) {
    return user->hasTrait<ir::trait::Elementwise>() || isa<ir::ReturnOp>(user);
  };
  if (shapeOf(op.getResult()) != shapeOf(group->getResult(0)) ||
      !llvm::all_of(op->getUsers(), isAtItsPlace))
    return std::nullopt;
  const int64_t results = ir::tensorOf(op.getResult()).getNumElements(),
                elements = ir::tensorOf(op.getInput()).getNumElements();
  if (results == 0 || elements / results < kLeastDepth)
    return std::nullopt;
  return op;
}

/// The last dimension of several elements.
static int64_t lastDim(ArrayRef<int64_t> shape) {
  int64_t dim = int64_t(shape.size()) - 1;
  while (dim > 0 && shape[size_t(dim)] == 1)
    --dim;
  return dim;
}

std::optional<ir::ReduceOp> sharedReduction(ir::GroupOp group) {
  auto op = onlyReduction<ir::ReduceOp, ir::ArgReduceOp>(group);
  if (op && Reducer::isSequential(op->getKind(), ir::elementOf(op->getInput())))
    return std::nullopt;
  return op;
}

std::optional<ir::ArgReduceOp> sharedArgReduction(ir::GroupOp group) {
  auto op = onlyReduction<ir::ArgReduceOp, ir::ReduceOp>(group);
  if (op && int64_t(op->getAxis()) != lastDim(shapeOf(op->getInput())))
    return std::nullopt;
  return op;
}

/// Whether elements that lie side by side go to one result.
static bool reducesNeighbours(ir::ReduceOp op) {
  return llvm::is_contained(op.getDimensions(),
                            lastDim(shapeOf(op.getInput())));
}

bool hasRows(ir::GroupOp group) {
  if (group.getStrategy() == ir::Strategy::Row)
    return true;
  std::optional<ir::ReduceOp> op = sharedReduction(group);
  return op && reducesNeighbours(*op);
}

bool hasColumns(ir::GroupOp group) {
  std::optional<ir::ReduceOp> op = sharedReduction(group);
  return op && !reducesNeighbours(*op);
}

} // namespace smp::codegen::cuda
