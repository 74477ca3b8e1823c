// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Placement.h"
#include "smp/ir/Rows.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/pipeline/Joins.h"
#include "smp/passes/pipeline/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_INFERJOINSPASS
#include "smp/passes/pipeline/Passes.h.inc"

static std::optional<int64_t> batchAxisOf(DictionaryAttr attributes) {
  auto axis = attributes ? attributes.getAs<IntegerAttr>(kBatchAxisAttr)
                         : IntegerAttr();
  return axis ? std::optional(axis.getInt()) : std::nullopt;
}

static JoinAttr joinOfResult(EntryOp entry, unsigned result) {
  return entry.getResultAttrOfType<JoinAttr>(result, kJoinAttr);
}

static StringRef nameOfResult(EntryOp entry, unsigned result) {
  return entry.getResultAttrOfType<StringAttr>(result, kNameAttr).getValue();
}

//===----------------------------------------------------------------------===//
// What a person says
//===----------------------------------------------------------------------===//

/// Whether a value is there once per step, after the last microbatch.
static bool isOncePerStep(Value value) {
  SetVector<Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next)
    if (Operation *op = seen[next].getDefiningOp()) {
      if (isa<AccumulateOp>(op))
        return true;
      seen.insert_range(op->getOperands());
    }
  return false;
}

/// A result that is stacked is joined along a new first dimension.
static void stack(EntryOp entry, unsigned result) {
  Operation *end = entry.getBody().front().getTerminator();
  Value value = end->getOperand(result);
  auto type = tensorOf(value);
  SmallVector<int64_t> shape(type.getShape());
  shape.insert(shape.begin(), 1);
  OpBuilder b(end);
  Operation *op = value.getDefiningOp();
  auto reshape = ReshapeOp::create(b, op ? op->getLoc() : end->getLoc(),
                                   type.clone(shape), value);
  if (op)
    inherit(op, reshape);
  end->setOperand(result, reshape);
  SmallVector<Type> types(entry.getResultTypes());
  types[result] = reshape.getType();
  entry.setFunctionType(
      FunctionType::get(entry.getContext(), entry.getArgumentTypes(), types));
  if (isOncePerStep(value))
    setJoin(entry, result, {JoinKind::Each});
  else
    setJoin(entry, result, {JoinKind::Concat, 0});
}

/// Checks a join that is there, and brings it into its final form.
static LogicalResult apply(EntryOp entry, unsigned result, JoinAttr join) {
  Type element = getElementTypeOrSelf(entry.getResultTypes()[result]);
  bool fits = join.getKind() == JoinKind::Mean  ? isa<FloatType>(element)
              : join.getKind() == JoinKind::Sum ? !element.isInteger(1)
                                                : true;
  if (!fits)
    return entry.emitOpError()
           << "output '" << nameOfResult(entry, result) << "' is of type "
           << element << ", which has no " << stringifyJoinKind(join.getKind())
           << "; take stack, or convert it in the model";
  if (join.getKind() == JoinKind::Stack)
    stack(entry, result);
  else if (join.getKind() != JoinKind::Concat &&
           join.getKind() != JoinKind::Each)
    entry.removeResultAttr(result,
                           StringAttr::get(entry.getContext(), kBatchAxisAttr));
  return success();
}

//===----------------------------------------------------------------------===//
// What follows from the ops
//===----------------------------------------------------------------------===//

static SmallVector<std::optional<RowPlace>> placesOfRows(EntryOp entry) {
  SmallVector<std::optional<RowPlace>> places;
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    places.emplace_back();
    if (auto axis = batchAxisOf(entry.getArgAttrDict(unsigned(i))))
      places.back() =
          RowPlace{*axis, 1,
                   cast<RankedTensorType>(type).getDimSize(unsigned(*axis)), 1};
  }
  return places;
}

static void infer(EntryOp entry) {
  RowAnalysis analysis(entry, placesOfRows(entry));
  Operation *end = entry.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(end->getOperands()))
    if (!joinOfResult(entry, unsigned(i)))
      setJoin(entry, unsigned(i),
              joinOf(analysis.of(value), tensorOf(value),
                     batchAxisOf(entry.getResultAttrDict(unsigned(i)))));
}

/// By definition a step gives what each microbatch gives, but for what a person
/// says.
static void keepEach(EntryOp entry) {
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    JoinAttr join = joinOfResult(entry, i);
    bool isSaid = join && (join.getKind() == JoinKind::Sum ||
                           join.getKind() == JoinKind::Mean ||
                           join.getKind() == JoinKind::Stack);
    if (!isSaid)
      setJoin(entry, i, {JoinKind::Each});
  }
}

static LogicalResult checkMicrobatches(EntryOp entry, int64_t count) {
  for (unsigned i = 0; count > 1 && i < entry.getNumResults(); ++i)
    if (JoinAttr join = joinOfResult(entry, i);
        join.getKind() == JoinKind::Mixed)
      return entry.emitOpError()
             << "cannot have " << count << " microbatches: output '"
             << nameOfResult(entry, i)
             << "' mixes rows: " << join.getReason().getValue()
             << "; compile it for all rows, or say what becomes of the "
                "microbatches' values: sum, mean or stack";
  return success();
}

namespace {
struct InferJoinsPass : impl::InferJoinsPassBase<InferJoinsPass> {
  using Base::Base;

  void runOnOperation() override {
    for (auto entry : getOperation().getOps<EntryOp>())
      if (failed(run(entry)))
        return signalPassFailure();
  }

  LogicalResult run(EntryOp entry) {
    if (isStep(entry))
      keepEach(entry);
    else
      infer(entry);
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      if (failed(apply(entry, i, joinOfResult(entry, i))))
        return failure();
    return isStep(entry) ? success() : checkMicrobatches(entry, microbatches);
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// For people
//===----------------------------------------------------------------------===//

static void print(llvm::raw_ostream &os, EntryOp entry, unsigned result) {
  JoinAttr join = joinOfResult(entry, result);
  os << "  " << nameOfResult(entry, result) << ": ";
  // Passes add results to entries that are steps.
  switch (join ? join.getKind() : JoinKind::Each) {
  case JoinKind::Each:
    os << "of each microbatch";
    break;
  case JoinKind::Concat:
    os << "joined along dimension "
       << *batchAxisOf(entry.getResultAttrDict(result));
    break;
  case JoinKind::Same:
    os << "the same for all";
    break;
  case JoinKind::Mixed:
    os << "one microbatch only: " << join.getReason().getValue();
    break;
  default:
    os << "the " << stringifyJoinKind(join.getKind()) << " over microbatches";
  }
  os << "\n";
}

void printJoins(llvm::raw_ostream &os, ModuleOp module) {
  for (auto entry : module.getOps<EntryOp>()) {
    os << "entry '" << entry.getSymName() << "', rows along ";
    SmallVector<std::string> axes;
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto axis = batchAxisOf(entry.getArgAttrDict(i)))
        axes.push_back(entry.getArgAttrOfType<StringAttr>(i, kNameAttr).str() +
                       "[" + std::to_string(*axis) + "]");
    os << (axes.empty() ? "no input" : llvm::join(axes, ", ")) << "\n";
    for (unsigned i = 0; i < entry.getNumResults(); ++i)
      print(os, entry, i);
  }
}

} // namespace smp::passes
