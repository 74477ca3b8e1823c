// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Rows.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include <functional>

using namespace mlir;

namespace smp::ir {

void markFollowsRows(Operation *op) {
  op->setAttr(kFollowsRowsAttr, mlir::UnitAttr::get(op->getContext()));
}

//===----------------------------------------------------------------------===//
// Places within ranges of dimensions
//===----------------------------------------------------------------------===//

namespace {
/// Where rows are in a range of dimensions taken as one.
struct FlatPlace {
  int64_t outer, rows, inner;

  bool isAlong(const FlatPlace &other) const {
    return outer == other.outer && rows * inner == other.rows * other.inner;
  }
};
} // namespace

static FlatPlace flatten(ArrayRef<int64_t> shape, DimRange range,
                         const RowPlace &place) {
  FlatPlace flat{place.outer, place.rows, place.inner};
  for (int64_t dim = range.first; dim < place.dim; ++dim)
    flat.outer *= shape[dim];
  for (int64_t dim = place.dim + 1; dim < range.first + range.count; ++dim)
    flat.inner *= shape[dim];
  return flat;
}

/// The dimensions of a range that can have all of the rows; none when they are
/// cut apart. Only a single row can be in several; one of its own is preferred.
static SmallVector<RowPlace> unflatten(ArrayRef<int64_t> shape, DimRange range,
                                       FlatPlace flat) {
  SmallVector<RowPlace> places;
  int64_t below = 1;
  for (int64_t dim = range.first + range.count - 1; dim >= range.first; --dim) {
    int64_t size = shape[dim];
    if (size <= 0 || flat.rows <= 0)
      return {};
    int64_t inner = flat.inner / below;
    if (flat.inner % below == 0 && inner && size % (flat.rows * inner) == 0)
      places.insert(places.begin(),
                    {dim, size / (flat.rows * inner), flat.rows, inner});
    below *= size;
  }
  if (llvm::any_of(places, std::mem_fn(&RowPlace::isWholeDim)))
    llvm::erase_if(places, std::not_fn(&RowPlace::isWholeDim));
  return places;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Whether every dimension of the range is one along which all is equal.
static bool isUniform(const RowState &state, DimRange range) {
  for (int64_t dim = range.first; dim < range.first + range.count; ++dim)
    if (!state.uniform.test(unsigned(dim)))
      return false;
  return true;
}

/// Of a value that nothing is known of: one element is equal to itself.
static RowState independent(Value value) {
  RowState state;
  state.uniform.resize(unsigned(shapeOf(value).size()));
  for (auto [dim, size] : llvm::enumerate(shapeOf(value)))
    if (size == 1)
      state.uniform.set(unsigned(dim));
  return state;
}

/// Whether the value has a dimension of size one that is not known to be equal
/// along more: the first place of several, for what a model says of one row.
static bool hasPlaceOfOne(Value value, const RowState &state) {
  for (auto [dim, size] : llvm::enumerate(shapeOf(value)))
    if (size == 1 && !state.uniform.test(unsigned(dim)))
      return true;
  return false;
}

static std::string describe(Value value) {
  StringRef name = getValueName(value);
  return name.empty() ? "a value" : ("'" + name + "'").str();
}

/// Where the rows of operand `from` can be in `result` when they go along
/// `axis`; nowhere, with the reason, when they do not.
SmallVector<RowPlace> RowAnalysis::follow(Operation *op, const OpAxis &axis,
                                          unsigned from, OpResult result,
                                          std::string &reason) const {
  auto flatOf = [&](unsigned i) {
    Value operand = op->getOperand(i);
    return flatten(shapeOf(operand), axis.operands[i], of(operand).place);
  };
  FlatPlace flat = flatOf(from);
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Value operand = op->getOperand(i);
    const RowState &state = of(operand);
    DimRange range = axis.operands[i];
    if (state.kind == RowState::Kind::None && !isUniform(state, range)) {
      reason = "gives each row another part of " + describe(operand) +
               ", which has no rows";
      return {};
    }
    if (state.kind == RowState::Kind::Placed &&
        (!range.contains(state.place.dim) || !flat.isAlong(flatOf(i)))) {
      reason = "pairs every row with every row";
      return {};
    }
  }
  DimRange range = axis.results[result.getResultNumber()];
  if (range.count == 0) {
    reason =
        axis.combined
            ? ("combines all rows, by " + stringifyEnum(*axis.combined)).str()
            : "combines all rows";
    return {};
  }
  SmallVector<RowPlace> places = unflatten(shapeOf(result), range, flat);
  if (places.empty())
    reason = "cuts the rows apart";
  return places;
}

/// Where the rows of operand `from` can be in `result`: in more than one place
/// only when it is one row, and dimensions of size one cannot be told apart.
SmallVector<RowPlace> RowAnalysis::follow(Operation *op, ArrayRef<OpAxis> axes,
                                          unsigned from, OpResult result,
                                          std::string &reason) const {
  int64_t dim = of(op->getOperand(from)).place.dim;
  reason = ("needs all of dimension " + Twine(dim) + " of " +
            describe(op->getOperand(from)) + ", which the rows are along")
               .str();
  SmallVector<RowPlace> places;
  for (const OpAxis &axis : axes) {
    if (!axis.operands[from].contains(dim))
      continue;
    for (const RowPlace &place : follow(op, axis, from, result, reason))
      if (!llvm::is_contained(places, place))
        places.push_back(place);
  }
  llvm::stable_sort(places, [](const RowPlace &a, const RowPlace &b) {
    return a.isWholeDim() && !b.isWholeDim();
  });
  return places;
}

/// The state of a result of an op whose operands have no rows.
RowState RowAnalysis::independentResult(OpResult result,
                                        ArrayRef<OpAxis> axes) const {
  Operation *op = result.getOwner();
  RowState state = independent(result);
  bool isPlaced = llvm::any_of(op->getOperands(), [&](Value operand) {
    return hasPlaceOfOne(operand, of(operand));
  });
  if (isPlaced || isa<IotaOp>(op))
    state.uniform.reset();
  for (const OpAxis &axis : axes) {
    bool isEqual = true;
    for (auto [operand, range] : llvm::zip(op->getOperands(), axis.operands))
      isEqual &= isUniform(of(operand), range);
    DimRange range = axis.results[result.getResultNumber()];
    if (isEqual)
      state.uniform.set(unsigned(range.first),
                        unsigned(range.first + range.count));
  }
  return state;
}

/// "'name' (smp.op) how". An op that only stands for what a node decides is not
/// what the node is.
const std::string *RowAnalysis::keepReason(Operation *op, const Twine &how) {
  std::string name = getOriginName(op).str();
  std::string kind = op->getName().getStringRef().str();
  std::string what = name.empty() ? kind : "'" + name + "'";
  if (!name.empty() && !op->hasAttr(kFollowsRowsAttr))
    what += " (" + kind + ")";
  reasons.push_back(std::make_unique<std::string>(what + " " + how.str()));
  return reasons.back().get();
}

void RowAnalysis::mix(Operation *op, const Twine &how) {
  const std::string *reason = keepReason(op, how);
  for (Value result : op->getResults()) {
    RowState state;
    state.kind = RowState::Kind::Mixed;
    state.reason = reason;
    states[result] = state;
  }
}

/// What an op mixes whatever its operands are; empty: nothing.
std::string RowAnalysis::ownMixing(Operation *op) const {
  if (isa<MicrobatchOp>(op))
    return "gives the number of the microbatch";
  if (op->hasAttr(kFollowsRowsAttr))
    return "follows from the number of rows";
  auto read = dyn_cast<ReadOp>(op);
  return read && changing.contains(read.getVariable())
             ? "reads a state that changes with every microbatch"
             : "";
}

bool RowAnalysis::isAsLongAsRows(Value value, int64_t dim) const {
  int64_t size = shapeOf(value)[size_t(dim)];
  return factor && size && size % factor == 0;
}

/// How an op mixes rows by combining what has no rows, along a dimension that
/// is as long as there are; empty: it does not.
std::string RowAnalysis::lengthMixing(Operation *op,
                                      ArrayRef<OpAxis> axes) const {
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const RowState &state = of(operand);
    for (int64_t dim = 0; dim < int64_t(shapeOf(operand).size()); ++dim) {
      if (state.kind == RowState::Kind::None && isAsLongAsRows(operand, dim) &&
          !keepsDim(axes, unsigned(i), dim))
        return "needs all of dimension " + std::to_string(dim) + " of " +
               describe(operand) + ", which is as long as there are rows";
    }
  }
  return "";
}

/// How a value mixes rows by being as long as there are, in a dimension that
/// they are not along; empty: it does not.
std::string RowAnalysis::lengthMixing(Value value,
                                      const RowState &state) const {
  for (int64_t dim = 0; dim < int64_t(shapeOf(value).size()); ++dim) {
    if (!isAsLongAsRows(value, dim))
      continue;
    if (state.kind == RowState::Kind::Placed && dim != state.place.dim)
      return "gives each row as much as there are rows, along dimension " +
             std::to_string(dim);
    if (state.kind == RowState::Kind::None &&
        !state.uniform.test(unsigned(dim)))
      return "gives each row another part along dimension " +
             std::to_string(dim) + ", which is as long as there are rows";
  }
  return "";
}

/// Why a single row may be elsewhere than in the first of these places; empty:
/// it cannot.
static std::string doubtOf(ArrayRef<RowPlace> places) {
  const RowPlace &place = places.front();
  std::string dim = std::to_string(place.dim);
  if (places.size() > 1)
    return "may keep the single row in dimension " + dim + " or " +
           std::to_string(places[1].dim) +
           "; declare the output's batch axis, or compile for two rows";
  return place.rows == 1 && !place.isWholeDim()
             ? "may make the single row a part of dimension " + dim +
                   ", or drop it; declare the output's batch axis, or compile "
                   "for two rows"
             : "";
}

void RowAnalysis::visit(Operation *op) {
  std::optional<unsigned> placed;
  const std::string *doubt = nullptr, *reason = nullptr;
  for (auto [i, operand] : llvm::enumerate(op->getOperands())) {
    const RowState &state = of(operand);
    if (state.kind == RowState::Kind::Mixed && !reason)
      reason = state.reason;
    if (state.kind != RowState::Kind::Placed)
      continue;
    doubt = doubt ? doubt : state.doubt;
    placed = placed ? placed : unsigned(i);
  }
  if (reason) {
    for (Value result : op->getResults())
      states[result] = {RowState::Kind::Mixed, {}, nullptr, {}, reason};
    return;
  }
  if (std::string how = ownMixing(op); !how.empty())
    return mix(op, how);
  auto withAxes = dyn_cast<AxesOpInterface>(op);
  OpAxes axes = withAxes ? withAxes.getAxes() : OpAxes(op);
  if (std::string how = lengthMixing(op, axes.all()); !how.empty())
    return mix(op, how);
  for (OpResult result : op->getResults()) {
    if (!placed) {
      states[result] = independentResult(result, axes.all());
    } else {
      std::string why;
      SmallVector<RowPlace> places =
          follow(op, axes.all(), *placed, result, why);
      if (places.empty())
        return mix(op, why);
      if (std::string how = doubtOf(places); !how.empty() && !doubt)
        doubt = keepReason(op, how);
      states[result] = {
          RowState::Kind::Placed, places.front(), doubt, {}, nullptr};
    }
    if (std::string how = lengthMixing(result, states[result]); !how.empty())
      return mix(op, how);
  }
}

RowAnalysis::RowAnalysis(EntryOp entry,
                         ArrayRef<std::optional<RowPlace>> arguments,
                         int64_t factor)
    : factor(factor) {
  Block &body = entry.getBody().front();
  for (auto [argument, place] :
       llvm::zip_equal(body.getArguments(), arguments)) {
    RowState &state = states[argument];
    state = place
                ? RowState{RowState::Kind::Placed, *place, nullptr, {}, nullptr}
                : independent(argument);
    if (std::string how = lengthMixing(argument, state); !how.empty()) {
      reasons.push_back(std::make_unique<std::string>(
          "input " + describe(argument) + " " + how));
      state = {RowState::Kind::Mixed, {}, nullptr, {}, reasons.back().get()};
    }
  }
  for (auto assign : body.getOps<AssignOp>())
    changing.insert(assign.getVariable());
  for (Operation &op : body)
    visit(&op);
}

//===----------------------------------------------------------------------===//
// Joins
//===----------------------------------------------------------------------===//

static RowJoin mixed(const Twine &reason) {
  return {JoinKind::Mixed, -1, reason.str()};
}

/// Whether a single row that is in dimension `a` can be said to be in `b`: in
/// between there is nothing but dimensions of size one.
static bool isBeside(ArrayRef<int64_t> shape, int64_t a, int64_t b) {
  auto between =
      shape.slice(size_t(std::min(a, b)), size_t(std::abs(a - b)) + 1);
  return llvm::all_of(between, [](int64_t size) { return size == 1; });
}

RowJoin joinOf(const RowState &state, RankedTensorType type,
               std::optional<int64_t> declared) {
  if (state.kind == RowState::Kind::Mixed)
    return mixed(*state.reason);
  if (state.kind == RowState::Kind::None) {
    if (!declared)
      return {JoinKind::Same};
    if (state.uniform.test(unsigned(*declared)))
      return {JoinKind::Concat, *declared};
    return mixed("it does not depend on the batch, and its dimension " +
                 Twine(*declared) + " is declared as the batch's");
  }
  if (state.doubt && !declared)
    return mixed(*state.doubt);
  const RowPlace &place = state.place;
  if (place.outer != 1)
    return mixed("its dimension " + Twine(place.dim) +
                 " has the rows within something else, " + Twine(place.outer) +
                 " times");
  if (!declared || *declared == place.dim ||
      (state.doubt && isBeside(type.getShape(), *declared, place.dim)))
    return {JoinKind::Concat, declared.value_or(place.dim)};
  return mixed("its rows are along dimension " + Twine(place.dim) +
               ", and dimension " + Twine(*declared) +
               " is declared as the batch's");
}

void setJoin(EntryOp entry, unsigned result, const RowJoin &join) {
  Builder b(entry.getContext());
  StringAttr reason =
      join.reason.empty() ? StringAttr() : b.getStringAttr(join.reason);
  entry.setResultAttr(result, kJoinAttr,
                      JoinAttr::get(b.getContext(), join.kind, reason));
  if (join.kind == JoinKind::Concat)
    entry.setResultAttr(result, kBatchAxisAttr, b.getI64IntegerAttr(join.axis));
}

bool isStep(EntryOp entry) {
  for (StringRef name : {kMicrobatchesAttr, kLossAttr, kOptimizerAttr})
    if (entry->hasAttr(name))
      return true;
  auto module = entry->getParentOfType<ModuleOp>();
  auto isOncePerStep = [&](Operation &op) {
    auto assign = dyn_cast<AssignOp>(op);
    auto variable = assign
                        ? module.lookupSymbol<VariableOp>(assign.getVariable())
                        : VariableOp();
    return isa<AccumulateOp>(op) ||
           (variable && variable.getKind() != VariableKind::State);
  };
  return entry.getMode() == Mode::Train ||
         llvm::any_of(entry.getBody().front(), isOncePerStep);
}

} // namespace smp::ir
