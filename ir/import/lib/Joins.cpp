// SPDX-License-Identifier: Apache-2.0
#include "Joins.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Rows.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

using mlir::Attribute; // Not smp::Attribute.

static EntryOp entryOf(ImportedModel &model) {
  return *model.module->getOps<EntryOp>().begin();
}

static ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

/// A prime that no size in the entry is a multiple of: a dimension that has it
/// as a factor has it from the rows.
static int64_t primeBeside(EntryOp entry) {
  llvm::DenseSet<int64_t> sizes;
  entry->walk([&](Operation *op) {
    for (Type type : op->getResultTypes())
      sizes.insert_range(shapeOf(type));
  });
  for (Type type : entry.getArgumentTypes())
    sizes.insert_range(shapeOf(type));
  auto isPrime = [](int64_t number) {
    for (int64_t i = 2; i * i <= number; ++i)
      if (number % i == 0)
        return false;
    return true;
  };
  int64_t prime = 101;
  while (!isPrime(prime) || llvm::any_of(sizes, [&](int64_t size) {
    return size && size % prime == 0;
  }))
    ++prime;
  return prime;
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
/// The constants of an entry, whatever the number of rows.
class FixedConstants {
public:
  explicit FixedConstants(EntryOp entry) {
    for (auto op : entry.getBody().getOps<ConstantOp>())
      values.insert(condensed(op));
  }
  bool contains(ConstantOp op) const { return values.contains(condensed(op)); }

private:
  llvm::DenseSet<Attribute> values;
};
} // namespace

/// The join of a result, given it for `factor` times the rows, of type `more`.
static RowJoin joinFor(const RowState &state, RankedTensorType type,
                       RankedTensorType more, int64_t factor) {
  std::optional<int64_t> grown;
  bool fits = type.getRank() == more.getRank();
  for (int64_t i = 0; fits && i < type.getRank(); ++i) {
    if (type.getDimSize(i) == more.getDimSize(i))
      continue;
    fits = !grown && more.getDimSize(i) == type.getDimSize(i) * factor;
    grown = i;
  }
  bool isAlone = state.kind == RowState::Kind::None;
  RowJoin join = joinOf(state, more, isAlone ? grown : std::nullopt);
  if (join.kind == JoinKind::Mixed)
    return join;
  if (fits && (isAlone || grown == join.axis))
    return join;
  return {JoinKind::Mixed, -1,
          "with more rows its shape becomes another than theirs side by side"};
}

static void mixAll(EntryOp entry, const std::string &reason) {
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    setJoin(entry, i, {JoinKind::Mixed, -1, reason});
}

void decideJoins(ImportedModel &model, const Dimensions &dims,
                 ImportAgain importAgain) {
  EntryOp entry = entryOf(model);
  int64_t factor = primeBeside(entry);
  std::string error;
  auto moreRows = importAgain(dims.withRows(factor), error);
  if (!moreRows) {
    if (dims.isBatchOpen())
      mixAll(entry, "the model takes no other number of rows: " + error);
    return;
  }
  EntryOp more = entryOf(*moreRows);
  SmallVector<std::optional<RowPlace>> places;
  for (unsigned i = 0; i < more.getNumArguments(); ++i) {
    places.emplace_back();
    auto axis = more.getArgAttrOfType<IntegerAttr>(i, kBatchAxisAttr);
    if (!axis)
      continue;
    int64_t size = shapeOf(more.getArgumentTypes()[i])[axis.getInt()];
    if (size == 0)
      return mixAll(entry, "its batch has no rows");
    places.back() = RowPlace{axis.getInt(), 1, factor, size / factor};
  }
  FixedConstants fixed(entry);
  RowAnalysis analysis(more, places,
                       [&](ConstantOp op) { return fixed.contains(op); });
  auto results = more.getBody().front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results))
    setJoin(entry, unsigned(i),
            joinFor(analysis.of(value),
                    cast<RankedTensorType>(entry.getResultTypes()[i]),
                    cast<RankedTensorType>(value.getType()), factor));
}

} // namespace smp::frontend
