// SPDX-License-Identifier: Apache-2.0
#include "ReverseMode.h"
#include "SumParts.h"
#include "smp/ir/Constants.h"
#include "smp/ir/Gradient.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/passes/Decompose.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

OriginNumbers::OriginNumbers(ModuleOp module) {
  module.walk([&](Operation *op) {
    if (auto number = op->getAttrOfType<IntegerAttr>(kOriginAttr))
      next = std::max(next, number.getInt() + 1);
  });
}

IntegerAttr OriginNumbers::of(Operation *op) {
  if (auto number = op->getAttrOfType<IntegerAttr>(kOriginAttr))
    return number;
  auto number = Builder(op->getContext()).getI64IntegerAttr(next++);
  op->setAttr(kOriginAttr, number);
  return number;
}

static bool isFloat(Value value) {
  return isa<FloatType>(getElementTypeOrSelf(value.getType()));
}

namespace {
/// Collects what is inserted.
struct Collector : OpBuilder::Listener {
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    made.push_back(op);
  }
  SmallVector<Operation *> made;
};
} // namespace

//===----------------------------------------------------------------------===//
// What depends on what
//===----------------------------------------------------------------------===//

ReverseMode::ReverseMode(GradientOp op, OriginNumbers &origins)
    : gradient(op), origins(origins) {}

Value ReverseMode::keyOf(Value value) const {
  auto read = value.getDefiningOp<ReadOp>();
  return read ? firstReads.at(read.getVariableAttr().getAttr()) : value;
}

void ReverseMode::findReads() {
  for (auto read : gradient->getBlock()->getOps<ReadOp>())
    firstReads.try_emplace(read.getVariableAttr().getAttr(), read.getValue());
}

void ReverseMode::analyse() {
  ops.clear();
  varied.clear();
  fromInputs.clear();
  llvm::DenseSet<Value> needed;
  needed.insert(gradient.getLoss());
  for (Operation *op = gradient->getPrevNode(); op; op = op->getPrevNode()) {
    if (llvm::none_of(op->getResults(),
                      [&](Value value) { return needed.contains(value); }))
      continue;
    ops.push_back(op);
    needed.insert_range(op->getOperands());
  }
  std::reverse(ops.begin(), ops.end());
  for (BlockArgument argument : gradient->getBlock()->getArguments())
    fromInputs.insert(argument);
  for (auto [value, result] :
       llvm::zip_equal(gradient.getValues(), gradient.getGradients()))
    if (!result.use_empty())
      varied.insert(keyOf(value));
  for (Operation *op : ops) {
    bool varies = false, isInput = false;
    for (Value operand : op->getOperands()) {
      varies |= isVaried(operand) && !isa<StopGradientOp>(op);
      isInput |= fromInputs.contains(operand);
    }
    for (Value result : op->getResults()) {
      if (varies && isFloat(result))
        varied.insert(result);
      if (isInput)
        fromInputs.insert(result);
    }
  }
}

bool ReverseMode::decomposeAll() {
  SmallVector<Operation *> composites;
  PendingNames names;
  bool isAny = false;
  // Users first: what is known of operands holds until these are replaced.
  for (Operation *op : llvm::reverse(ops)) {
    if (!isa<DecomposeOpInterface>(op) ||
        isa<GradientOpInterface, StopGradientOp>(op) ||
        llvm::none_of(op->getOperands(),
                      [&](Value operand) { return isVaried(operand); }))
      continue;
    decompose(op, composites, names);
    isAny = true;
  }
  names.apply();
  return isAny;
}

//===----------------------------------------------------------------------===//
// The sweep
//===----------------------------------------------------------------------===//

void ReverseMode::mark(ArrayRef<Operation *> made, Operation *origin,
                       ArrayRef<Value> forInputs) {
  llvm::DenseSet<Operation *> ofInput;
  for (Value value : forInputs)
    if (Operation *op = value.getDefiningOp())
      ofInput.insert(op);
  for (Operation *op : llvm::reverse(made)) {
    bool isInput = ofInput.contains(op);
    if (isInput)
      for (Value operand : op->getOperands())
        if (Operation *maker = operand.getDefiningOp())
          ofInput.insert(maker);
    op->setAttr(kUnitAttr, ir::UnitAttr::get(op->getContext(),
                                             isInput ? Unit::BackwardInput
                                                     : Unit::BackwardWeight));
    if (!origin)
      continue;
    op->setAttr(kOriginAttr, origins.of(origin));
    inheritPlacement(origin, op);
  }
}

void ReverseMode::contribute(Value value, Value gradient) {
  contributions[keyOf(value)].push_back(gradient);
}

Value ReverseMode::sumOf(Value value) {
  Value key = keyOf(value);
  auto found = contributions.find(key);
  if (found == contributions.end())
    return {};
  SmallVector<Value, 2> &parts = found->second;
  Collector collector;
  OpBuilder builder(gradient, &collector);
  Value sum = sumParts(builder, partOf(key.getLoc()), parts);
  parts = {sum};
  mark(collector.made, key.getDefiningOp(),
       fromInputs.contains(key) ? ArrayRef(sum) : ArrayRef<Value>());
  return sum;
}

/// Erases what a rule made and then gave to nobody.
static void eraseUnused(SmallVectorImpl<Operation *> &made,
                        ArrayRef<Value> given) {
  for (Operation *&op : llvm::reverse(made)) {
    bool isGiven = llvm::any_of(op->getResults(), [&](Value result) {
      return llvm::is_contained(given, result);
    });
    if (isGiven || !op->use_empty())
      continue;
    op->erase();
    op = nullptr;
  }
  llvm::erase(made, nullptr);
}

void ReverseMode::nameGradient(Value result, Value gradient) {
  const StringRef name = getValueName(result);
  if (name.empty())
    return;
  gradient.setLoc(withDerivedName(
      gradient.getLoc(),
      StringAttr::get(gradient.getContext(), kOutputGradientPrefix + name)));
}

LogicalResult ReverseMode::visit(Operation *op) {
  SmallVector<Value> ofResults;
  for (Value result : op->getResults()) {
    ofResults.push_back(isVaried(result) ? sumOf(result) : Value());
    if (ofResults.back() && !isa<ReadOp>(op)) // Optimizers name those.
      nameGradient(result, ofResults.back());
  }
  llvm::BitVector wanted;
  for (Value operand : op->getOperands())
    wanted.push_back(isVaried(operand));
  if (wanted.none() ||
      llvm::none_of(ofResults, [](Value v) { return bool(v); }))
    return success();
  auto rule = dyn_cast<GradientOpInterface>(op);
  if (!rule) {
    InFlightDiagnostic error =
        op->emitOpError() << "has no gradient, and the loss depends on "
                             "differentiated values through it; put "
                             "smp.stop_gradient before it, or take another op";
    error.attachNote(gradient.getLoc()) << "for this gradient";
    return error;
  }
  Collector collector;
  OpBuilder builder(gradient, &collector);
  GradientBuilder gradients(builder, op, ofResults, wanted);
  if (failed(rule.buildGradients(gradients)))
    return failure();
  eraseUnused(collector.made, gradients.given());
  SmallVector<Value> forInputs;
  for (auto [operand, given] :
       llvm::zip_equal(op->getOperands(), gradients.given())) {
    if (!given)
      continue;
    contribute(operand, given);
    if (fromInputs.contains(operand))
      forInputs.push_back(given);
  }
  mark(collector.made, op, forInputs);
  return success();
}

FailureOr<SmallVector<Value>> ReverseMode::run() {
  findReads();
  do
    analyse();
  while (decomposeAll());

  SmallVector<Value> results(gradient.getValues().size());
  Value loss = gradient.getLoss();
  if (!isVaried(loss))
    return results;
  Collector collector;
  OpBuilder builder(gradient, &collector);
  Value seed = splat(builder, partOf(loss.getLoc()), loss.getType(), 1);
  mark(collector.made, loss.getDefiningOp(),
       fromInputs.contains(loss) ? ArrayRef(seed) : ArrayRef<Value>());
  contribute(loss, seed);
  // Decomposed ops are gone, new ones come behind: the list stays as it is.
  for (Operation *op : llvm::reverse(ops))
    if (failed(visit(op)))
      return failure();
  for (auto [i, value] : llvm::enumerate(gradient.getValues()))
    if (!gradient.getResult(i).use_empty())
      results[i] = sumOf(value);
  return results;
}

} // namespace smp::passes
