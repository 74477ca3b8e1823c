// SPDX-License-Identifier: Apache-2.0
// What the builder says about training.

#include "smp/ir/Training.h"
#include "BuilderState.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/model/Config.h"

using namespace mlir;
using namespace smp::ir;

namespace smp {

namespace frontend {

void BuilderState::train(const Tensor &loss, const Optimizer &optimizer) {
  if (!isUsable())
    return;
  needEntry();
  current = ("entry '" + entry.getSymName() + "'").str();
  SmallVector<Value> values;
  if (!resolve(loss, values))
    return;
  if (entry.getMode() != Mode::Train)
    return fail("is trained, but was begun with another mode; begin it with "
                "EntryMode::Train");
  if (entry->hasAttr(kOptimizerAttr))
    return fail("is trained twice");
  if (auto problem = checkOptimizer(optimizer))
    return fail("has an optimizer whose " + *problem);
  auto type = cast<RankedTensorType>(values.front().getType());
  if (!isa<FloatType>(type.getElementType()) || type.getNumElements() != 1)
    return fail("has a loss that is a " + toString(loss.type()) +
                "; a loss is one float: take its mean or sum");
  auto named = llvm::find_if(outputs, [&](const Output &output) {
    return output.value == values.front();
  });
  std::string name = named != outputs.end() ? named->name : "loss";
  if (named == outputs.end()) {
    addOutput(name, loss, kNoBatchAxis);
    unnamedLoss = values.front();
  }
  entry->setAttr(kLossAttr, builder.getStringAttr(name));
  entry->setAttr(kOptimizerAttr, toAttr(context, optimizer));
}

/// The loss, which is an output without a name of its own, is to be one with.
void BuilderState::nameLoss(StringRef name) {
  llvm::erase_if(outputs, [&](const Output &output) {
    return output.value == unnamedLoss;
  });
  outputNames.erase("loss");
  entry->setAttr(kLossAttr, builder.getStringAttr(name));
  unnamedLoss = {};
}

void BuilderState::setMicrobatches(int64_t count) {
  if (!isUsable())
    return;
  needEntry();
  current = ("entry '" + entry.getSymName() + "'").str();
  if (count < 1 || count > kMostMicrobatches)
    return fail(
        "has " + Twine(count) + " microbatches; it must be 1 at least" +
        (count < 1 ? "" : " and " + Twine(kMostMicrobatches) + " at most"));
  entry->setAttr(kMicrobatchesAttr, builder.getI64IntegerAttr(count));
}

void BuilderState::setPrecision(DType type) {
  if (!isUsable())
    return;
  needEntry();
  current = ("entry '" + entry.getSymName() + "'").str();
  if (type == DType::F32)
    return entry->removeAttr(kPrecisionAttr), void();
  if (type != DType::BF16 && type != DType::F16)
    return fail("cannot have the precision " + Twine(toString(type)) +
                "; it must be bf16, f16 or f32");
  entry->setAttr(kPrecisionAttr, mlir::TypeAttr::get(toMlir(context, type)));
}

} // namespace frontend

using frontend::Emitter;
using frontend::Values;

void GraphBuilder::train(const Tensor &loss, const Optimizer &optimizer) {
  state->train(loss, optimizer);
}
void GraphBuilder::microbatches(int64_t count) {
  state->setMicrobatches(count);
}

void GraphBuilder::precision(DType type) { state->setPrecision(type); }

RecomputeScope GraphBuilder::recompute(bool enabled) {
  state->pushRecompute(enabled);
  return RecomputeScope(*this);
}
RecomputeScope::~RecomputeScope() { builder.state->popRecompute(); }

Tensor GraphBuilder::accumulate(const Tensor &x, Accumulation kind) {
  return state->op("accumulate", x,
                   [&](Emitter &e, Values v) -> frontend::Value {
                     return AccumulateOp::create(e.builder, e.location, v[0],
                                                 kind == Accumulation::Mean);
                   });
}

Tensor GraphBuilder::microbatch() {
  return state->op(
      "microbatch", {}, [&](Emitter &e, Values) -> frontend::Value {
        auto type = RankedTensorType::get({1}, e.builder.getI64Type());
        return MicrobatchOp::create(e.builder, e.location, type);
      });
}

} // namespace smp
