// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/fusion/MakeGroup.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Placement.h"
#include "smp/ir/ProducerWalk.h"
#include "smp/ir/Signature.h"
#include "smp/ir/Target.h"

using namespace mlir;

namespace smp::passes {

/// Copies the op, and before it the views that it needs and that are not there.
static void copyWithViews(OpBuilder &b, Operation *op, IRMapping &mapping) {
  ir::visitProducersFirst(
      op, [&](Value used) { return !mapping.contains(used); },
      [&](Operation *next) {
        b.clone(*next, mapping)->removeAttr(ir::kPlacementAttr);
      });
}

static void fillBody(OpBuilder &b, ir::GroupOp made, const Group &group,
                     const GroupBoundary &boundary) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(boundary.inputs.size(), made.getLoc());
  Block *body = b.createBlock(&made.getBody(), {}, TypeRange(made.getInputs()),
                              locations);
  IRMapping mapping;
  mapping.map(boundary.inputs.getArrayRef(), body->getArguments());
  for (Operation *op : group.ops)
    copyWithViews(b, op, mapping);
  SmallVector<Value> returned;
  for (Value result : boundary.results)
    returned.push_back(mapping.lookup(result));
  ir::ReturnOp::create(b, made.getLoc(), returned);
}

ir::GroupOp makeGroup(OpBuilder &b, const Group &group,
                      const GroupBoundary &boundary, ValueRange inputs) {
  SmallVector<Location> locations;
  for (Operation *op : group.ops)
    locations.push_back(op->getLoc());
  auto made = ir::GroupOp::create(b, b.getFusedLoc(locations),
                                  ValueRange(boundary.results).getTypes(),
                                  group.strategy, inputs);
  if (group.placement)
    made->setAttr(ir::kPlacementAttr, group.placement);
  if (group.phase != ir::Unit::Forward)
    made->setAttr(ir::kUnitAttr,
                  ir::UnitAttr::get(b.getContext(), group.phase));
  fillBody(b, made, group, boundary);
  return made;
}

ir::GroupOp makeCopy(OpBuilder &b, Value value, Type type) {
  OpBuilder::InsertionGuard guard(b);
  auto copy =
      ir::GroupOp::create(b, value.getLoc(), type, ir::Strategy::Loop, value);
  Block *body =
      b.createBlock(&copy.getBody(), {}, value.getType(), value.getLoc());
  Value same =
      ir::ReshapeOp::create(b, value.getLoc(), type, body->getArgument(0));
  ir::ReturnOp::create(b, value.getLoc(), same);
  return copy;
}

//===----------------------------------------------------------------------===//
// Digests
//===----------------------------------------------------------------------===//

namespace {

/// What a planned group is, in words that are cheap to make: what a context has
/// once has one address.
class Key {
public:
  Key(const Group &group, const GroupBoundary &boundary) {
    add(uint64_t(group.strategy));
    for (Value input : boundary.inputs)
      name(input);
    for (Operation *op : boundary.body) {
      add(op->getName().getAsOpaquePointer());
      add(op->getPropertiesAsAttribute().getAsOpaquePointer());
      for (Value operand : op->getOperands())
        add(numberOf.lookup(operand));
      for (Value result : op->getResults())
        name(result);
    }
    for (Value result : boundary.results)
      add(numberOf.lookup(result));
  }

  StringRef bytes() const {
    return {reinterpret_cast<const char *>(words.data()),
            words.size() * sizeof(uint64_t)};
  }

private:
  void add(uint64_t word) { words.push_back(word); }
  void add(const void *unique) { add(uint64_t(uintptr_t(unique))); }
  void name(Value value) {
    numberOf.try_emplace(value, numberOf.size() + 1);
    add(value.getType().getAsOpaquePointer());
  }

  SmallVector<uint64_t> words;
  llvm::DenseMap<Value, uint64_t> numberOf; ///< From 1 on.
};

} // namespace

GroupSigner::GroupSigner(MLIRContext *context)
    : scratch(ModuleOp::create(UnknownLoc::get(context))) {}

/// The group is what `make` makes of such inputs; what the target is does not
/// matter where it is null.
void GroupSigner::show(TypeRange inputs, Maker make, ir::TargetAttr target,
                       llvm::function_ref<void(ir::GroupOp)> use) {
  OpBuilder b = OpBuilder::atBlockEnd(scratch->getBody());
  auto stage = ir::StageOp::create(b, scratch->getLoc(), "kernel",
                                   b.getFunctionType(inputs, {}), nullptr,
                                   nullptr, /*partition=*/0, ir::Unit::Forward);
  SmallVector<Location> locations(inputs.size(), scratch->getLoc());
  Block *body = b.createBlock(&stage.getBody(), {}, inputs, locations);
  if (target)
    stage->setAttr(ir::kTargetsAttr, b.getArrayAttr(target));
  use(make(b, body->getArguments()));
  stage.erase();
}

void GroupSigner::show(const Group &group, const GroupBoundary &boundary,
                       ir::TargetAttr target,
                       llvm::function_ref<void(ir::GroupOp)> use) {
  show(
      TypeRange(boundary.inputs.getArrayRef()),
      [&](OpBuilder &b, ValueRange inputs) {
        return makeGroup(b, group, boundary, inputs);
      },
      target, use);
}

uint64_t GroupSigner::digestOf(const Group &group,
                               const GroupBoundary &boundary) {
  auto [found, isNew] = known.try_emplace(Key(group, boundary).bytes());
  if (isNew)
    show(group, boundary, nullptr,
         [&](ir::GroupOp op) { found->second = ir::digestOf(op); });
  return found->second;
}

uint64_t GroupSigner::digestOfCopy(Type type) {
  auto [found, isNew] = copies.try_emplace(type);
  if (isNew)
    show(
        type,
        [&](OpBuilder &b, ValueRange inputs) {
          return makeCopy(b, inputs.front(), type);
        },
        nullptr, [&](ir::GroupOp op) { found->second = ir::digestOf(op); });
  return found->second;
}

} // namespace smp::passes
