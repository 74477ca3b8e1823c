// SPDX-License-Identifier: Apache-2.0
#include "LossScale.h"
#include "Patterns.h"
#include "ReverseMode.h"
#include "smp/ir/Constants.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Training.h"
#include "smp/passes/NameKeeper.h"
#include "smp/passes/training/Passes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_DIFFERENTIATEPASS
#include "smp/passes/training/Passes.h.inc"

//===----------------------------------------------------------------------===//
// Entries with a loss
//===----------------------------------------------------------------------===//

/// The value that the entry returns under its loss's name.
static FailureOr<Value> findLoss(EntryOp entry) {
  auto name = entry->getAttrOfType<StringAttr>(kLossAttr);
  SmallVector<StringRef> others;
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    auto result = entry.getResultAttrOfType<StringAttr>(i, kNameAttr);
    if (result == name)
      return entry.getBody().front().getTerminator()->getOperand(i);
    others.push_back(result.getValue());
  }
  InFlightDiagnostic error = entry.emitOpError()
                             << kLossAttr << " is " << name
                             << ", which is no result; the entry's are '";
  llvm::interleave(others, error, "', '");
  error << "'";
  return error;
}

/// Which variables the entry's optimizer, if it has one, leaves alone.
static FailureOr<Patterns> frozenIn(EntryOp entry) {
  if (!entry->hasAttr(kOptimizerAttr))
    return Patterns();
  FailureOr<Optimizer> optimizer = readOptimizer(entry);
  if (failed(optimizer))
    return failure();
  return Patterns::parse(entry, "freeze", optimizer->freeze);
}

/// The first read of each variable to differentiate with respect to, in the
/// order of the list or of the module's declarations.
static FailureOr<SmallVector<Value>> findVariables(EntryOp entry) {
  llvm::StringMap<Value> reads;
  for (auto read : entry.getBody().getOps<ReadOp>())
    reads.try_emplace(read.getVariable(), read.getValue());
  SmallVector<Value> values;
  if (auto list = entry->getAttrOfType<ArrayAttr>(kDifferentiateAttr)) {
    for (auto name : list.getAsRange<StringAttr>()) {
      Value read = reads.lookup(name.getValue());
      if (!read)
        return entry.emitOpError() << kDifferentiateAttr << " has " << name
                                   << ", which is no variable that the entry "
                                      "reads; name one, or drop it";
      values.push_back(read);
    }
    return values;
  }
  FailureOr<Patterns> frozen = frozenIn(entry);
  if (failed(frozen))
    return failure();
  auto module = entry->getParentOfType<ModuleOp>();
  for (auto variable : module.getOps<VariableOp>())
    if (Value read = reads.lookup(variable.getSymName());
        read && variable.getKind() == VariableKind::Parameter &&
        isa<FloatType>(variable.getTensorType().getElementType()) &&
        !frozen->match(variable.getSymName()))
      values.push_back(read);
  return values;
}

/// The loss that is differentiated: of an entry that is trained in f16, so many
/// times the loss that its gradients do not vanish. `smp-optimize` divides
/// them.
static FailureOr<Value> scaleLoss(EntryOp entry, Value loss,
                                  OpBuilder &builder) {
  if (!isScaled(entry))
    return loss;
  auto type = tensorOf(loss);
  FailureOr<VariableOp> variable = lossScale(entry);
  if (failed(variable))
    return failure();
  Location loc = partOf(loss.getLoc());
  Value scale = ReadOp::create(builder, loc, variable->getTensorType(),
                               variable->getSymName());
  if (type.getElementType() != variable->getTensorType().getElementType())
    scale = ConvertOp::create(
        builder, loc, RankedTensorType::get({}, type.getElementType()), scale);
  if (type.getRank() > 0)
    scale = BroadcastOp::create(builder, loc, type, scale, ArrayRef<int64_t>());
  return MulOp::create(builder, loc, loss, scale).getResult();
}

/// Makes results `gradient/<variable>` of an entry with a loss.
static LogicalResult addGradients(EntryOp entry) {
  FailureOr<Value> loss = findLoss(entry);
  if (failed(loss))
    return failure();
  FailureOr<SmallVector<Value>> values = findVariables(entry);
  if (failed(values))
    return failure();
  if (values->empty())
    return entry.emitOpError()
           << "has a loss, but reads no parameter; name variables in "
           << kDifferentiateAttr;
  Operation *end = entry.getBody().front().getTerminator();
  OpBuilder builder(end);
  FailureOr<Value> scaled = scaleLoss(entry, *loss, builder);
  if (failed(scaled))
    return failure();
  auto gradient =
      GradientOp::create(builder, partOf(loss->getLoc()),
                         TypeRange(ValueRange(*values)), *scaled, *values);
  if (failed(gradient.verify()))
    return failure();
  for (auto [value, result] : llvm::zip_equal(*values, gradient.getResults())) {
    StringRef variable = value.getDefiningOp<ReadOp>().getVariable();
    NamedAttribute name(kNameAttr,
                        builder.getStringAttr("gradient/" + variable));
    if (failed(entry.insertResult(entry.getNumResults(), result.getType(),
                                  builder.getDictionaryAttr(name))))
      return failure();
    end->insertOperands(end->getNumOperands(), result);
  }
  entry->removeAttr(kLossAttr);
  entry->removeAttr(kDifferentiateAttr);
  return success();
}

//===----------------------------------------------------------------------===//
// Gradient ops
//===----------------------------------------------------------------------===//

/// What a person calls the value that a gradient is asked for.
static std::string describe(Value value) {
  if (auto read = value.getDefiningOp<ReadOp>())
    return ("variable '" + read.getVariable() + "'").str();
  StringRef name = getValueName(value);
  return name.empty() ? "a value" : ("'" + name + "'").str();
}

/// A value that nothing of the loss's gradient reaches.
static void reportUnused(Value value, Location gradient, bool isError) {
  InFlightDiagnostic diagnostic =
      isError ? emitError(value.getLoc()) : emitWarning(value.getLoc());
  diagnostic << describe(value)
             << " gets no gradient: the loss does not depend on it, or only "
                "through what has the gradient zero";
  diagnostic.attachNote(gradient)
      << (isError ? "freeze it, or let its gradient be zero with allow-unused"
                  : "its gradient is zero");
}

/// The names of the gradient op go to what replaces it.
static void moveNames(GradientOp op, MutableArrayRef<Value> values) {
  PendingNames pending;
  bool isFirst = true;
  for (auto [result, value] : llvm::zip_equal(op.getResults(), values)) {
    if (!value)
      continue;
    SmallVector<StringAttr> names;
    if (isFirst)
      if (StringRef name = getSourceName(op); !name.empty())
        names.push_back(StringAttr::get(op.getContext(), name));
    if (StringRef name = getValueName(result); !name.empty())
      names.push_back(StringAttr::get(op.getContext(), name));
    for (StringAttr name : names)
      pending.add(value, NameLoc::get(name));
    isFirst = false;
  }
  pending.apply();
}

namespace {

struct Differentiate : impl::DifferentiatePassBase<Differentiate> {
  using DifferentiatePassBase::DifferentiatePassBase;

  void runOnOperation() override {
    OriginNumbers origins(getOperation());
    NameKeeper keeper;
    for (auto entry : getOperation().getOps<EntryOp>()) {
      if (entry->hasAttr(kLossAttr) && failed(addGradients(entry)))
        return signalPassFailure();
      // In order: a loss may depend on gradients before it.
      for (auto op :
           llvm::make_early_inc_range(entry.getBody().getOps<GradientOp>()))
        if (failed(expand(op, origins, keeper)))
          return signalPassFailure();
    }
    keeper.finish(getOperation());
  }

  LogicalResult expand(GradientOp op, OriginNumbers &origins,
                       NameKeeper &keeper);
  LogicalResult fillUnused(GradientOp op, MutableArrayRef<Value> values);
};

} // namespace

/// Gives zero, where that is allowed, to values that get no gradient.
LogicalResult Differentiate::fillUnused(GradientOp op,
                                        MutableArrayRef<Value> values) {
  OpBuilder builder(op);
  bool failed = false;
  for (auto [value, result, of] :
       llvm::zip_equal(values, op.getGradients(), op.getValues())) {
    if (value || result.use_empty())
      continue;
    reportUnused(of, op.getLoc(), /*isError=*/!allowUnused);
    failed |= !allowUnused;
    value = splat(builder, partOf(op.getLoc()), result.getType(), 0);
    value.getDefiningOp()->setAttr(
        kUnitAttr, ir::UnitAttr::get(op.getContext(), Unit::BackwardWeight));
  }
  return failure(failed);
}

LogicalResult Differentiate::expand(GradientOp op, OriginNumbers &origins,
                                    NameKeeper &keeper) {
  ReverseMode mode(op, origins);
  FailureOr<SmallVector<Value>> values = mode.run();
  if (failed(values))
    return failure();
  bool isAsked = llvm::any_of(op.getResults(),
                              [](Value result) { return !result.use_empty(); });
  if (isAsked && llvm::none_of(*values, [](Value v) { return bool(v); }))
    return emitError(op.getLoc())
           << "the loss depends on none of the values that it is "
              "differentiated with respect to";
  if (failed(fillUnused(op, *values)))
    return failure();
  moveNames(op, *values);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), *values))
    if (value)
      result.replaceAllUsesWith(value);
  keeper.notifyOperationErased(op);
  op->erase();
  return success();
}

} // namespace smp::passes
