// SPDX-License-Identifier: Apache-2.0
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/NameKeeper.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

using Pins = llvm::SmallSetVector<int64_t, 2>;

/// The names of a module, each with the partitions that a user gave its ops.
llvm::MapVector<StringAttr, Pins> collect(Operation *root) {
  llvm::MapVector<StringAttr, Pins> names;
  auto add = [&](Location location, PlacementAttr placement) {
    for (StringAttr name : getSourceNames(location)) {
      Pins &pins = names[name];
      if (placement && placement.isUser())
        pins.insert(placement.getPartition());
    }
  };
  root->walk([&](Operation *op) {
    if (op == root)
      return;
    add(op->getLoc(), getPlacement(op));
    for (Region &region : op->getRegions())
      for (Value argument : region.getArguments())
        add(argument.getLoc(), {});
  });
  return names;
}

struct NameGuard : PassInstrumentation {
  void runBeforePass(Pass *, Operation *op) override {
    if (auto module = dyn_cast<ModuleOp>(op))
      before = collect(module);
  }

  void runAfterPass(Pass *pass, Operation *op) override {
    auto module = dyn_cast<ModuleOp>(op);
    if (module && (failed(checkNames(module)) || failed(checkPins(module))))
      signalPassFailure(pass);
  }

private:
  LogicalResult checkNames(ModuleOp module) {
    llvm::MapVector<StringAttr, Pins> after = collect(module);
    llvm::DenseSet<Attribute> removed;
    if (auto list = module->getAttrOfType<ArrayAttr>(kRemovedNamesAttr))
      removed.insert_range(list);
    for (const auto &[name, pins] : before)
      if (!after.contains(name) && !removed.contains(name))
        return module.emitError()
               << "the pass lost the name '" << name.getValue()
               << "'; rewrite under a NameKeeper";
    return success();
  }

  /// An op whose names are pinned is where one of them is, and of each pinned
  /// name an op still has the pin: others may follow it.
  LogicalResult checkPins(ModuleOp module) {
    WalkResult walk = module->walk([&](Operation *op) {
      Pins pins;
      for (StringAttr name : getSourceNames(op->getLoc()))
        if (auto found = before.find(name); found != before.end())
          pins.insert_range(found->second);
      PlacementAttr placement = getPlacement(op);
      bool isUser = placement && placement.isUser();
      bool isThere = placement && pins.contains(placement.getPartition());
      if (isa<ModuleOp>(op) || getSourceNames(op->getLoc()).empty() ||
          isThere || (!isUser && pins.empty()))
        return WalkResult::advance();
      op->emitError() << "the pass "
                      << (!isUser        ? "lost"
                          : pins.empty() ? "invented"
                                         : "changed")
                      << " the pin of " << describe(op);
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return failure();
    llvm::MapVector<StringAttr, Pins> after = collect(module);
    for (const auto &[name, pins] : before)
      if (!pins.empty() && after.contains(name) && after[name].empty())
        return module.emitError()
               << "the pass lost the pin of '" << name.getValue() << "'";
    return success();
  }

  llvm::MapVector<StringAttr, Pins> before;
};

} // namespace

std::unique_ptr<PassInstrumentation> createNameGuard() {
  return std::make_unique<NameGuard>();
}

} // namespace smp::passes
