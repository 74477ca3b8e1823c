// SPDX-License-Identifier: Apache-2.0
#include "RowNumbers.h"
#include "Emitter.h"
#include "Evaluation.h"
#include "smp/ir/Rows.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

using Elements = std::optional<llvm::BitVector>;

/// Of larger constants it is not kept which elements follow.
static constexpr int64_t kMostFollowed = 64 * 1024;

void RowNumbers::mark(Value constant, Elements elements) {
  if (elements && elements->none())
    return;
  markFollowsRows(constant.getDefiningOp());
  following[constant] = std::move(elements);
}

bool RowNumbers::ask(Value constant, ArrayRef<int64_t> asked) {
  llvm::BitVector elements{unsigned(asked.size())};
  for (auto [i, size] : llvm::enumerate(asked)) {
    const size_t place = sizes.size();
    sizes.push_back(size);
    if (fewer && (place >= fewer->size() || (*fewer)[place] != size))
      elements.set(unsigned(i));
  }
  const bool follows = elements.any();
  if (constant)
    mark(constant, std::move(elements));
  return follows;
}

void RowNumbers::follow(Value value) {
  markFollowsRows(value.getDefiningOp());
  if (constantOf(value))
    following[value] = std::nullopt;
}

bool RowNumbers::hasGrown(int64_t size) const {
  return factor && size && size % factor == 0;
}

bool RowNumbers::hasGrown(Value value) const {
  return llvm::any_of(shapeOf(value),
                      [&](int64_t size) { return hasGrown(size); });
}

bool RowNumbers::follows(Value value) const {
  return value &&
         (following.contains(value) || (constantOf(value) && hasGrown(value)));
}

bool RowNumbers::isShape(Value constant, ArrayRef<int64_t> shape) const {
  auto found = following.find(constant);
  if (found == following.end())
    return true;
  for (auto [i, size] : llvm::enumerate(shape))
    if (!found->second || found->second->test(unsigned(i)))
      if (size <= 0 || size % factor != 0)
        return false;
  return true;
}

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

/// Whether a dimension of an operand that is as long as there are rows is none
/// of the results: what they hold may follow from how long it is.
bool RowNumbers::losesLength(Operation *op) const {
  auto withAxes = dyn_cast<AxesOpInterface>(op);
  const OpAxes axes = withAxes ? withAxes.getAxes() : OpAxes(op);
  for (auto [i, operand] : llvm::enumerate(op->getOperands()))
    for (auto [dim, size] : llvm::enumerate(shapeOf(operand)))
      if (hasGrown(size) && !keepsDim(axes.all(), unsigned(i), int64_t(dim)))
        return true;
  return false;
}

/// Whether the op only moves elements of its operands.
static bool moves(Operation *op) {
  if (auto scatter = dyn_cast<ScatterElementsOp>(op))
    return scatter.getKind() == ScatterKind::Replace;
  if (auto scatter = dyn_cast<ScatterNdOp>(op))
    return scatter.getKind() == ScatterKind::Replace;
  return isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, ReverseOp, ConcatOp,
             PadOp, GatherOp, GatherElementsOp, GatherNdOp>(op);
}

/// Whether the operand says which elements are moved.
static bool isIndex(OpOperand &operand) {
  return isa<GatherOp, GatherElementsOp, GatherNdOp, ScatterElementsOp,
             ScatterNdOp>(operand.getOwner()) &&
         operand.getOperandNumber() == 1;
}

/// The tensor with ones for the elements, and zeros for others, as bytes.
static void showElements(HostTensor &tensor, const Elements &elements) {
  const int64_t count = tensor.type.elements();
  const size_t width = count ? tensor.bytes.size() / size_t(count) : 0;
  for (size_t i = 0; i < size_t(count); ++i)
    std::fill_n(tensor.bytes.begin() + long(i * width), width,
                std::byte(!elements || elements->test(unsigned(i))));
}

static llvm::BitVector shownElements(const HostTensor &tensor) {
  const int64_t count = tensor.type.elements();
  llvm::BitVector elements{unsigned(count)};
  const size_t width = count ? tensor.bytes.size() / size_t(count) : 0;
  for (size_t i = 0; i < size_t(count); ++i)
    if (tensor.bytes[i * width] != std::byte(0))
      elements.set(unsigned(i));
  return elements;
}

void RowNumbers::derive(Operation *op, MutableArrayRef<Value> results) {
  if (llvm::none_of(op->getOperands(), [&](Value v) { return follows(v); }))
    return;
  // Others may use the operand.
  for (Value &result : results)
    if (llvm::is_contained(op->getOperands(), result)) {
      auto found = following.find(result);
      Elements elements = found == following.end() ? Elements(llvm::BitVector())
                                                   : found->second;
      result = OpBuilder(op).clone(*result.getDefiningOp())->getResult(0);
      mark(result, std::move(elements));
    }
  auto markAll = [&] {
    for (Value result : results)
      mark(result, std::nullopt);
  };
  const bool isElementwise = op->hasTrait<trait::Elementwise>();
  if (losesLength(op))
    return markAll();
  if (llvm::none_of(op->getOperands(),
                    [&](Value v) { return following.contains(v); }))
    return;
  if (!isElementwise && !moves(op))
    return markAll();
  auto isLarge = [](Value v) {
    return typeOf(v).getNumElements() > kMostFollowed;
  };
  if (llvm::any_of(results, isLarge) ||
      llvm::any_of(op->getOperands(), isLarge))
    return markAll();
  auto elementsOf = [&](Value value) -> Elements {
    auto found = following.find(value);
    return found == following.end()
               ? Elements(
                     llvm::BitVector(unsigned(typeOf(value).getNumElements())))
               : found->second;
  };
  if (isElementwise) {
    llvm::BitVector any(unsigned(typeOf(results[0]).getNumElements()));
    for (Value operand : op->getOperands()) {
      const Elements elements = elementsOf(operand);
      if (!elements)
        return markAll();
      any |= *elements;
    }
    return mark(results[0], std::move(any));
  }
  auto operands = constantOperands(op, factor);
  if (!operands)
    return markAll();
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isIndex(operand))
      showElements((*operands)[operand.getOperandNumber()],
                   elementsOf(operand.get()));
    else if (following.contains(operand.get()))
      return markAll();
  }
  auto moved = evaluate(op, *operands, resultTypes(op));
  if (!moved)
    return markAll();
  for (auto [result, shown] : llvm::zip_equal(results, *moved))
    mark(result, shownElements(shown));
}

} // namespace smp::frontend
