// SPDX-License-Identifier: Apache-2.0
#include "UnscaledGradients.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "smp/passes/pipeline/Passes.h"
#include "smp/passes/pipeline/Taps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_INSERTTAPSPASS
#include "smp/passes/pipeline/Passes.h.inc"

namespace {

struct Watched {
  StringAttr name;
  TapRole role;
  Value value;
};

/// Finds what of an entry may be watched, each name once, in the order of the
/// graph.
class TapFinder {
public:
  TapFinder(EntryOp entry, const TapChooser &isWatched)
      : entry(entry), module(entry->getParentOfType<ModuleOp>()),
        isWatched(isWatched) {}

  SmallVector<Watched> find() {
    for (auto [i, argument] : llvm::enumerate(entry.getArguments()))
      if (!entry.getArgAttr(unsigned(i), kIsMicrobatchAttr) &&
          llvm::any_of(argument.getUsers(), getPlacement))
        add(getValueName(argument), TapRole::Input, argument);
    Block &body = entry.getBody().front();
    // An update reads a parameter once per step; of what is read per
    // microbatch one is as good as another.
    for (auto read : body.getOps<ReadOp>())
      if (getUnit(read) == Unit::Update)
        addRead(read);
    for (auto read : body.getOps<ReadOp>())
      addRead(read);
    for (Operation &op : body.without_terminator())
      addNamed(&op);
    for (auto assign : body.getOps<AssignOp>())
      if (kindOf(assign.getVariable()) == VariableKind::Optimizer)
        add(assign.getVariable(), TapRole::Slot, assign.getValue());
    return std::move(all);
  }

private:
  VariableKind kindOf(StringRef variable) {
    return module.lookupSymbol<VariableOp>(variable).getKind();
  }

  void addRead(ReadOp read) {
    const VariableKind kind = kindOf(read.getVariable());
    if (kind == VariableKind::Parameter || kind == VariableKind::State)
      add(read.getVariable(), TapRole::Parameter, read.getValue());
  }

  /// Merged values have the names of all.
  void addNamed(Operation *op) {
    if (isSource(op) && !isGradient(op))
      return;
    for (Value result : op->getResults()) {
      const TapRole role = isGradient(op) ? TapRole::Gradient : TapRole::Value;
      add(getValueName(result), role, result);
      if (auto merged = dyn_cast<FusedLoc>(op->getLoc());
          merged && op->getNumResults() == 1)
        for (Location part : merged.getLocations())
          add(getSourceName(part), role, result);
    }
    if (op->getNumResults() == 1)
      for (StringAttr name : getDerivedNames(op->getLoc()))
        if (name.strref().starts_with(kOutputGradientPrefix))
          add(name, TapRole::OutputGradient, op->getResult(0));
  }

  /// Of a parameter, as the update takes it.
  static bool isGradient(Operation *op) {
    return getUnit(op) == Unit::Update &&
           getSourceName(op).starts_with("gradient/");
  }

  void add(StringRef name, TapRole role, Value value) {
    if (!name.empty() && !names.contains(name) && isWatched(name, role)) {
      names.insert(name);
      all.push_back({StringAttr::get(entry.getContext(), name), role, value});
    }
  }

  EntryOp entry;
  ModuleOp module;
  const TapChooser &isWatched;
  llvm::StringSet<> names;
  SmallVector<Watched> all;
};

/// Adds a copy of the entry in which all of `watched` has taps of `kinds`.
void addTwin(EntryOp entry, ArrayRef<Watched> watched, StringRef suffix,
             ArrayRef<TapKind> kinds, SymbolTable &symbols) {
  IRMapping copies;
  auto twin = cast<EntryOp>(entry->clone(copies));
  twin.setSymName((entry.getSymName() + "." + suffix).str());
  twin->setAttr(kTwinOfAttr, FlatSymbolRefAttr::get(entry.getSymNameAttr()));
  OpBuilder b(twin.getBody().front().getTerminator());
  UnscaledGradients ofUpdate(twin, Unit::Update),
      ofMicrobatch(twin, Unit::Forward);
  for (const Watched &one : watched) {
    Value value = copies.lookup(one.value);
    if (one.role == TapRole::Gradient)
      value = ofUpdate.of(value);
    if (one.role == TapRole::OutputGradient)
      value = ofMicrobatch.of(value);
    for (TapKind kind : kinds)
      TapOp::create(b, one.value.getLoc(), kind, one.role, one.name, value);
  }
  // A symbol that is taken gets a number.
  symbols.insert(twin, entry->getBlock()->end());
}

struct InsertTaps : impl::InsertTapsPassBase<InsertTaps> {
  using Base::Base;

  void runOnOperation() override {
    llvm::StringSet<> chosen;
    for (const std::string &name : names)
      chosen.insert(name);
    insertTaps(getOperation(), [&](StringRef name, TapRole) {
      return chosen.empty() || chosen.contains(name);
    });
  }
};

} // namespace

void insertTaps(ModuleOp module, const TapChooser &isWatched) {
  SymbolTable symbols(module);
  for (auto entry : llvm::to_vector(module.getOps<EntryOp>())) {
    const SmallVector<Watched> watched = TapFinder(entry, isWatched).find();
    if (watched.empty())
      continue;
    addTwin(entry, watched, "statistics", TapKind::Statistics, symbols);
    addTwin(entry, watched, "values", {TapKind::Statistics, TapKind::Whole},
            symbols);
  }
}

} // namespace smp::passes
