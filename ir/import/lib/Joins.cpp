// SPDX-License-Identifier: Apache-2.0
#include "Joins.h"
#include "RowLikeness.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Rows.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

static EntryOp entryOf(ImportedModel &model) {
  return *model.module->getOps<EntryOp>().begin();
}

static ArrayRef<int64_t> shapeOf(Type type) {
  return cast<RankedTensorType>(type).getShape();
}

/// Two primes that no size in the entry is a multiple of: a dimension that has
/// one as a factor has it from the rows.
static std::pair<int64_t, int64_t> primesBeside(EntryOp entry) {
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
  auto nextFrom = [&](int64_t prime) {
    while (!isPrime(prime) || llvm::any_of(sizes, [&](int64_t size) {
      return size && size % prime == 0;
    }))
      ++prime;
    return prime;
  };
  const int64_t first = nextFrom(101);
  return {first, nextFrom(first + 1)};
}

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

/// Where the rows of each argument are; nothing, for all, when there are none.
static std::optional<SmallVector<std::optional<RowPlace>>>
placesOfRows(EntryOp entry, int64_t factor) {
  SmallVector<std::optional<RowPlace>> places;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    places.emplace_back();
    auto axis = entry.getArgAttrOfType<IntegerAttr>(i, kBatchAxisAttr);
    if (!axis)
      continue;
    int64_t size = shapeOf(entry.getArgumentTypes()[i])[axis.getInt()];
    if (size == 0)
      return std::nullopt;
    places.back() = RowPlace{axis.getInt(), 1, factor, size / factor};
  }
  return places;
}

void decideJoins(ImportedModel &model, const Dimensions &dims,
                 const RowNumbers &rows, ImportAgain importAgain) {
  EntryOp entry = entryOf(model);
  const auto [fewer, factor] = primesBeside(entry);
  std::string error;
  auto import = [&](int64_t times) {
    RowNumbers numbers(rows.asked(), times);
    return importAgain(dims.withRows(times), numbers, error);
  };
  auto fewerRows = import(fewer);
  auto moreRows = fewerRows ? import(factor) : std::nullopt;
  if (!moreRows) {
    if (dims.isBatchOpen())
      mixAll(entry, "the model takes no other number of rows: " + error);
    return;
  }
  EntryOp more = entryOf(*moreRows);
  if (!markDifferences(entryOf(*fewerRows), fewer, more, factor))
    return mixAll(entry, "for another number of rows it has other ops");
  auto places = placesOfRows(more, factor);
  if (!places)
    return mixAll(entry, "its batch has no rows");
  RowAnalysis analysis(more, *places, factor);
  auto results = more.getBody().front().getTerminator()->getOperands();
  for (auto [i, value] : llvm::enumerate(results))
    setJoin(entry, unsigned(i),
            joinFor(analysis.of(value),
                    cast<RankedTensorType>(entry.getResultTypes()[i]),
                    cast<RankedTensorType>(value.getType()), factor));
}

} // namespace smp::frontend
