// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Collapse.h"
#include "smp/ir/Tensors.h"

using namespace mlir;

namespace smp::ir {

namespace {
/// Which neighbouring dimensions of the full shape may be merged, and what
/// becomes of the shapes that follow from it.
class Collapser {
public:
  explicit Collapser(GroupOp group) : group(group) {}

  /// Whether shapes can be changed at all.
  bool analyze();
  bool canMerge() const { return llvm::is_contained(merged, true); }
  bool canMergeAll() const { return !llvm::is_contained(merged, false); }
  bool isScalar() const { return full.empty(); }
  /// Of the last dimension, once those before it that may be are merged to it.
  int64_t lastSize() const { return collapse(full, dimsOf(full)).back(); }
  void rewrite();

private:
  bool analyzeOp(Operation &op);
  bool splitMoved(Operation &op, ArrayRef<int64_t> dims);
  bool splitReversed(ReverseOp op);
  /// Keeps dimensions `dim` and `dim + 1` of the full shape apart.
  void keepApart(int64_t dim) { merged[dim] = false; }
  SmallVector<int64_t> collapse(ArrayRef<int64_t> shape,
                                ArrayRef<int64_t> dims) const;
  /// The dimensions of the full shape that a tensor of this shape has.
  SmallVector<int64_t> dimsOf(ArrayRef<int64_t> shape) const {
    return llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  }
  /// The number of the collapsed dimension that full dimension `dim` is in.
  int64_t collapsedDim(int64_t dim) const;
  void retype(Value value, ArrayRef<int64_t> dims);
  /// The numbers of the collapsed dimensions that `dims` are in, each once.
  SmallVector<int64_t> collapsedDims(ArrayRef<int64_t> dims) const;
  void setDims(Operation &op, ArrayRef<int64_t> dims);

  GroupOp group;
  SmallVector<int64_t> full;
  SmallVector<bool> merged; ///< Item i: dimensions i and i + 1.
};
} // namespace

/// Of an op that only moves what it reads: the result's dimension that each of
/// the input's becomes.
static std::optional<SmallVector<int64_t>> movedTo(Operation &op) {
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return llvm::to_vector(broadcast.getDimensions());
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    SmallVector<int64_t> dims(transpose.getPermutation().size());
    for (auto [i, dim] : llvm::enumerate(transpose.getPermutation()))
      dims[dim] = int64_t(i);
    return dims;
  }
  return std::nullopt;
}

/// The full shape: of what is reduced, else of the results.
static ArrayRef<int64_t> fullShape(GroupOp group) {
  for (auto reduce : group.getBody().getOps<ReduceOp>())
    return tensorOf(reduce.getInput()).getShape();
  return tensorOf(group->getResult(0)).getShape();
}

bool Collapser::analyze() {
  full = llvm::to_vector(fullShape(group));
  Operation *end = group.getBody().front().getTerminator();
  if (llvm::any_of(end->getOperands(),
                   [](Value result) { return isa<BlockArgument>(result); }))
    return false;
  merged.assign(full.empty() ? 0 : full.size() - 1, true);
  return llvm::all_of(group.getBody().front().without_terminator(),
                      [&](Operation &op) { return analyzeOp(op); });
}

bool Collapser::analyzeOp(Operation &op) {
  if (isa<StatisticsOp>(op)) // By the way, or alone, of any shape.
    return group.getStrategy() == Strategy::Loop;
  ArrayRef<int64_t> shape = tensorOf(op.getResult(0)).getShape();
  // Shapes of the group are the full one and leading parts of it.
  if (shape != ArrayRef(full).take_front(shape.size()))
    return false;
  if (auto dims = movedTo(op))
    return splitMoved(op, *dims);
  if (auto reverse = dyn_cast<ReverseOp>(op))
    return splitReversed(reverse);
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    auto first = int64_t(full.size() - reduce.getDimensions().size());
    if (llvm::any_of(reduce.getDimensions(),
                     [&](int64_t dim) { return dim < first; }))
      return false;
    if (first > 0 && !reduce.getDimensions().empty())
      keepApart(first - 1);
    return true;
  }
  // What is drawn depends on the element's place in row-major order alone.
  return op.hasTrait<trait::Elementwise>() || isa<ConstantOp, RandomOp>(op);
}

/// The input's dimension that each of the result's comes from; -1: it is
/// stretched.
static SmallVector<int64_t> sources(Operation &op, ArrayRef<int64_t> dims) {
  RankedTensorType result = tensorOf(op.getResult(0));
  SmallVector<int64_t> from(result.getRank(), -1);
  for (auto [i, dim] : llvm::enumerate(dims))
    if (tensorOf(op.getOperand(0)).getDimSize(i) == result.getDimSize(dim))
      from[dim] = int64_t(i);
  return from;
}

bool Collapser::splitMoved(Operation &op, ArrayRef<int64_t> dims) {
  // What is used in two ways would have to change in two ways; so would what
  // is computed here, as a leading part of the full shape, and then put along
  // other dimensions.
  Value input = op.getOperand(0);
  const auto rank = int64_t(dims.size());
  if (rank > 1 &&
      (!input.hasOneUse() || (input.getDefiningOp() &&
                              !llvm::equal(dims, llvm::seq<int64_t>(0, rank)))))
    return false;
  SmallVector<int64_t> from = sources(op, dims);
  for (size_t dim = 0; dim + 1 < from.size(); ++dim) {
    bool bothMapped = from[dim] >= 0 && from[dim + 1] == from[dim] + 1;
    bool bothStretched = from[dim] < 0 && from[dim + 1] < 0;
    if (!bothMapped && !bothStretched)
      keepApart(int64_t(dim));
  }
  return true;
}

/// Dimensions that lie side by side are reversed as one if both are.
bool Collapser::splitReversed(ReverseOp op) {
  auto isReversed = [&](int64_t dim) {
    return llvm::is_contained(op.getDimensions(), dim);
  };
  for (int64_t dim = 0; dim + 1 < tensorOf(op.getResult()).getRank(); ++dim)
    if (isReversed(dim) != isReversed(dim + 1))
      keepApart(dim);
  return true;
}

int64_t Collapser::collapsedDim(int64_t dim) const {
  int64_t number = 0;
  for (int64_t i = 0; i < dim; ++i)
    number += !merged[i];
  return number;
}

/// The shape with sizes of merged dimensions multiplied; `dims`: which
/// dimension of the full shape each of `shape` is.
SmallVector<int64_t> Collapser::collapse(ArrayRef<int64_t> shape,
                                         ArrayRef<int64_t> dims) const {
  SmallVector<int64_t> result;
  int64_t last = -1;
  for (auto [size, dim] : llvm::zip(shape, dims)) {
    int64_t number = collapsedDim(dim);
    if (number == last)
      result.back() *= size;
    else
      result.push_back(size);
    last = number;
  }
  return result;
}

void Collapser::retype(Value value, ArrayRef<int64_t> dims) {
  value.setType(
      tensorOf(value).clone(collapse(tensorOf(value).getShape(), dims)));
}

SmallVector<int64_t> Collapser::collapsedDims(ArrayRef<int64_t> dims) const {
  SmallVector<int64_t> numbers;
  for (int64_t dim : dims)
    if (int64_t number = collapsedDim(dim);
        !llvm::is_contained(numbers, number))
      numbers.push_back(number);
  return numbers;
}

/// Says of what moves its input that this has dimensions `dims` of the full
/// shape. Those that are stretched from 1 go with their neighbours.
void Collapser::setDims(Operation &op, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> numbers = collapsedDims(dims);
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return broadcast.setDimensions(numbers);
  SmallVector<int64_t> permutation(numbers.size());
  for (auto [i, number] : llvm::enumerate(numbers))
    permutation[number] = int64_t(i);
  cast<TransposeOp>(op).setPermutation(permutation);
}

void Collapser::rewrite() {
  Block &body = group.getBody().front();
  llvm::DenseSet<Value> done;
  auto retypeOnce = [&](Value value, ArrayRef<int64_t> dims) {
    if (done.insert(value).second)
      retype(value, dims);
  };
  for (Operation &op : body.without_terminator()) {
    if (auto dims = movedTo(op)) {
      retypeOnce(op.getOperand(0), *dims);
      setDims(op, *dims);
    } else if (auto constant = dyn_cast<ConstantOp>(op)) {
      retypeOnce(constant.getResult(),
                 dimsOf(tensorOf(constant.getResult()).getShape()));
      auto elements = cast<DenseElementsAttr>(constant.getValue());
      constant.setValueAttr(
          elements.resizeSplat(cast<ShapedType>(constant.getType())));
      continue;
    } else {
      for (Value operand : op.getOperands())
        retypeOnce(operand, dimsOf(tensorOf(operand).getShape()));
      if (auto reduce = dyn_cast<ReduceOp>(op))
        reduce.setDimensions(collapsedDims(reduce.getDimensions()));
      if (auto reverse = dyn_cast<ReverseOp>(op))
        reverse.setDimensions(collapsedDims(reverse.getDimensions()));
      if (isa<StatisticsOp>(op))
        continue;
    }
    for (Value result : op.getResults())
      retypeOnce(result, dimsOf(tensorOf(result).getShape()));
  }
  for (auto [outer, inner] :
       llvm::zip(group->getResults(), body.getTerminator()->getOperands()))
    outer.setType(inner.getType());
}

void collapseGroup(GroupOp group) {
  Collapser collapser(group);
  if (collapser.analyze() && collapser.canMerge())
    collapser.rewrite();
}

bool isInOrder(GroupOp group) {
  auto isMoved = [](Operation &op) {
    return isa<ReduceOp, ReverseOp, TransposeOp>(op);
  };
  if (group.getStrategy() != Strategy::Loop ||
      llvm::any_of(group.getBody().front(), isMoved))
    return false;
  Collapser collapser(group);
  if (!collapser.analyze() || collapser.isScalar())
    return false;
  const int64_t row = collapser.lastSize();
  return collapser.canMergeAll() || (row > 0 && row % kVectorElements == 0);
}

} // namespace smp::ir
