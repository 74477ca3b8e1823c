// SPDX-License-Identifier: Apache-2.0
#include "RowLikeness.h"
#include "smp/ir/Rows.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

using mlir::Attribute; // Not smp::Attribute.

static ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

/// The constant with dimensions of equal elements made one element long.
static Attribute condensed(ConstantOp op) {
  auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
  if (!elements)
    return op.getValue();
  ArrayRef<int64_t> whole = elements.getType().getShape();
  SmallVector<int64_t> shape(whole);
  const OpAxes axes = op.getAxes();
  for (const OpAxis &axis : axes.all()) {
    int64_t &size = shape[axis.results[0].first];
    size = std::min<int64_t>(size, 1);
  }
  auto type = elements.getType().clone(shape);
  SmallVector<Attribute> kept;
  auto values = elements.getValues<Attribute>();
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    int64_t place = 0, rest = i, stride = 1;
    for (size_t dim = shape.size(); dim-- > 0; rest /= shape[dim]) {
      place += rest % shape[dim] * stride;
      stride *= whole[dim];
    }
    kept.push_back(values[place]);
  }
  return DenseElementsAttr::get(type, kept);
}

namespace {
class Comparison {
public:
  Comparison(int64_t fewer, int64_t more) : fewer(fewer), more(more) {}

  bool run(EntryOp small, EntryOp large) {
    Block &a = small.getBody().front(), &b = large.getBody().front();
    if (a.getNumArguments() != b.getNumArguments() ||
        a.getOperations().size() != b.getOperations().size())
      return false;
    for (auto [x, y] : llvm::zip(a.getArguments(), b.getArguments()))
      inLarge[x] = y;
    for (auto [x, y] : llvm::zip(a, b)) {
      if (!isSame(x, y))
        return false;
      for (auto [from, to] : llvm::zip(x.getResults(), y.getResults()))
        inLarge[from] = to;
      if (!isAlike(x, y))
        markFollowsRows(&y);
    }
    return true;
  }

private:
  bool isSame(Operation &x, Operation &y) const {
    return x.getName() == y.getName() &&
           x.getNumResults() == y.getNumResults() &&
           x.getNumOperands() == y.getNumOperands() &&
           llvm::all_of(llvm::zip(x.getOperands(), y.getOperands()),
                        [&](auto pair) {
                          auto [from, to] = pair;
                          return inLarge.lookup(from) == to;
                        });
  }

  /// Whether the sizes are equal, or as the numbers of rows are.
  bool isInProportion(Type x, Type y) const {
    ArrayRef<int64_t> a = shapeOf(x), b = shapeOf(y);
    return a.size() == b.size() &&
           llvm::all_of(llvm::zip(a, b), [&](auto sizes) {
             auto [small, large] = sizes;
             return small == large ||
                    (small % fewer == 0 && large % more == 0 &&
                     small / fewer == large / more);
           });
  }

  bool isAlike(Operation &x, Operation &y) const {
    for (auto [a, b] : llvm::zip(x.getResultTypes(), y.getResultTypes()))
      if (!isInProportion(a, b))
        return false;
    if (auto constant = dyn_cast<ConstantOp>(x))
      return condensed(constant) == condensed(cast<ConstantOp>(y));
    if (auto slice = dyn_cast<SliceOp>(x))
      return isAlike(slice, cast<SliceOp>(y));
    return x.getAttrDictionary() == y.getAttrDictionary();
  }

  /// Where a slice takes all of a dimension, it does so of more.
  static bool isAlike(SliceOp x, SliceOp y) {
    for (size_t dim = 0; dim < x.getStarts().size(); ++dim) {
      const bool takesAll =
          x.getLimits()[dim] == shapeOf(x.getInput().getType())[dim] &&
          y.getLimits()[dim] == shapeOf(y.getInput().getType())[dim];
      if (x.getStarts()[dim] != y.getStarts()[dim] ||
          x.getStrides()[dim] != y.getStrides()[dim] ||
          (x.getLimits()[dim] != y.getLimits()[dim] && !takesAll))
        return false;
    }
    return true;
  }

  const int64_t fewer, more;
  llvm::DenseMap<Value, Value> inLarge;
};
} // namespace

bool markDifferences(EntryOp small, int64_t fewer, EntryOp large,
                     int64_t more) {
  return Comparison(fewer, more).run(small, large);
}

} // namespace smp::frontend
