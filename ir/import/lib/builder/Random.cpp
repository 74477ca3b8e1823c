// SPDX-License-Identifier: Apache-2.0
// What is drawn in steps.

#include "BuilderState.h"
#include "smp/ir/ModelTypes.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::frontend {

/// The variable that counts the steps of entries that draw.
static constexpr char kRandomStep[] = "random/step";

/// The number of the step, from 1, since first values of variables are the
/// draws of step 0. Ops that draw take it from the op that makes it, not from
/// the variable, and so need not be on the variable's partition; the pin of the
/// first of them is not for it.
Value BuilderState::drawStep() {
  if (drawn)
    return drawn;
  Operation *other = parts->module->lookupSymbol(kRandomStep);
  auto variable = dyn_cast_or_null<VariableOp>(other);
  const TensorType type{DType::I64, {}};
  if (other && (!variable || variable.getKind() != VariableKind::Random ||
                variable.getType() != toMlir(context, type))) {
    fail(Twine("counts its steps in the variable '") + kRandomStep +
         "', which is something else here; give that another name");
    return {};
  }
  if (!other)
    addVariable(kRandomStep, type, SplatAttr::get(context, APFloat(0.0)),
                VariableRole::Random);
  declared.insert(kRandomStep);
  placesOps = false;
  Value step = ReadOp::create(builder, nameLoc(kRandomStep),
                              toMlir(context, type), kRandomStep);
  drawn = emit.binary<AddOp>(step, 1.0);
  AssignOp::create(builder, emit.location, kRandomStep, drawn);
  placesOps = true;
  return drawn;
}

Tensor BuilderState::random(const TensorType &type) {
  return op("random", {}, [&](Emitter &e, Values) {
    auto elements = checkedNumElements(type.shape);
    if (type.dtype != DType::F32 || !elements || *elements > kMaxElements)
      return e.error("cannot be a " + toString(type) + "; draws are f32");
    Value step = drawStep();
    Value microbatch =
        e.make<MicrobatchOp>({}, {}, toMlir(context, {DType::I64, {1}}));
    auto number = [&](StringRef name, uint64_t value) {
      return e.attr(name, int64_t(value));
    };
    return e.make<RandomOp>(
        {step, microbatch},
        {number("seed", seedOf(seed, "random")), number("site", sites++)},
        toMlir(context, type));
  });
}

EntryMode BuilderState::mode() {
  if (isUsable())
    needEntry();
  return entry ? EntryMode(int(entry.getMode())) : EntryMode::Predict;
}

} // namespace smp::frontend

namespace smp {

EntryMode GraphBuilder::mode() const { return state->mode(); }
Tensor GraphBuilder::random(TensorType type) { return state->random(type); }

} // namespace smp
