// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Target.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Strategy.h"

using namespace mlir;

namespace smp::ir {

/// Whether it is the name, without dialect, of an op that can be decomposed.
static bool isComposite(mlir::Attribute attribute) {
  auto name = dyn_cast<StringAttr>(attribute);
  if (!name)
    return false;
  auto op = RegisteredOperationName::lookup(("smp." + name.getValue()).str(),
                                            name.getContext());
  return op && op->hasInterface<DecomposeOpInterface>();
}

LogicalResult
TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef name,
                   ArrayAttr whole, int64_t packedBytes, ArrayAttr fused,
                   int64_t groupOps, bool, bool, int64_t flopsPerSecond,
                   int64_t bytesPerSecond, int64_t launchNs,
                   int64_t transferBytesPerSecond, int64_t transferNs) {
  if (name.empty())
    return emitError() << "a target has an empty name";
  if (whole && !llvm::all_of(whole, isComposite))
    return emitError() << "target '" << name << "' keeps " << whole
                       << " whole; it must be a list of composites, as "
                          "[\"softmax\"]";
  if (fused && !llvm::all_of(fused, llvm::IsaPred<StrategyAttr>))
    return emitError() << "target '" << name << "' fuses " << fused
                       << "; it must be a list of #smp.strategy<...>";
  // An element of a packed operand has 8 bytes at most.
  if (packedBytes < 0 || packedBytes % 8 || packedBytes > 1 << 20)
    return emitError() << "target '" << name
                       << "' has packed_bytes = " << packedBytes
                       << "; it must be a multiple of 8 from 0 to 1048576";
  const std::pair<StringRef, int64_t> positive[] = {
      {"group_ops", groupOps},
      {"flops_per_second", flopsPerSecond},
      {"bytes_per_second", bytesPerSecond},
      {"transfer_bytes_per_second", transferBytesPerSecond}};
  for (auto [field, value] : positive)
    if (value < 1)
      return emitError() << "target '" << name << "' has " << field << " = "
                         << value << "; it must be >= 1";
  if (launchNs < 0 || transferNs < 0)
    return emitError() << "target '" << name << "' takes "
                       << std::min(launchNs, transferNs)
                       << " ns to launch or transfer; it must be >= 0";
  return success();
}

bool TargetAttr::fuses(Strategy strategy) const {
  return !getFused() || llvm::any_of(getFused(), [&](mlir::Attribute each) {
    return cast<StrategyAttr>(each).getValue() == strategy;
  });
}

bool TargetAttr::keepsWhole(Operation *op) const {
  return getWhole() && llvm::any_of(getWhole(), [&](mlir::Attribute each) {
           return cast<StringAttr>(each) == op->getName().stripDialect();
         });
}

/// What is in both lists; an absent one has everything.
static ArrayAttr meet(ArrayAttr a, ArrayAttr b) {
  if (!a || !b)
    return a ? a : b;
  SmallVector<mlir::Attribute> both;
  llvm::copy_if(a, std::back_inserter(both), [&](mlir::Attribute each) {
    return llvm::is_contained(b, each);
  });
  return ArrayAttr::get(a.getContext(), both);
}

/// What kernels of both targets can be made of.
static TargetAttr meet(TargetAttr a, TargetAttr b) {
  if (a == b)
    return a;
  MLIRContext *context = a.getContext();
  ArrayAttr whole = a.getWhole() && b.getWhole()
                        ? meet(a.getWhole(), b.getWhole())
                        : ArrayAttr();
  return TargetAttr::get(
      context, a.getName(), whole,
      a.getPackedBytes() == b.getPackedBytes() ? a.getPackedBytes() : 0,
      meet(a.getFused(), b.getFused()),
      std::min(a.getGroupOps(), b.getGroupOps()),
      a.getMixesWidths() && b.getMixesWidths(),
      a.getLoopsInReductions() && b.getLoopsInReductions(),
      std::min(a.getFlopsPerSecond(), b.getFlopsPerSecond()),
      std::min(a.getBytesPerSecond(), b.getBytesPerSecond()),
      std::max(a.getLaunchNs(), b.getLaunchNs()),
      std::min(a.getTransferBytesPerSecond(), b.getTransferBytesPerSecond()),
      std::max(a.getTransferNs(), b.getTransferNs()));
}

/// The target of a partition by a list.
static TargetAttr pick(ArrayAttr targets, int64_t partition) {
  auto at = [&](size_t i) { return cast<TargetAttr>(targets[i]); };
  if (partition >= 0)
    return at(targets.size() == 1
                  ? 0
                  : std::min(size_t(partition), targets.size() - 1));
  TargetAttr all = at(0);
  for (size_t i = 1; i < targets.size(); ++i)
    all = meet(all, at(i));
  return all;
}

/// What is compiled for where nothing is said.
static TargetAttr defaultTarget(MLIRContext *context) {
  Dialect *dialect = context->getLoadedDialect<SmpDialect>();
  if (auto *known = dialect->getRegisteredInterface<DefaultTargetInterface>())
    return known->defaultTarget();
  return TargetAttr::get(context, "generic");
}

TargetAttr targetOf(ModuleOp module, int64_t partition) {
  auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttr);
  return targets ? pick(targets, partition)
                 : defaultTarget(module.getContext());
}

TargetAttr targetOf(Operation *op) {
  std::optional<int64_t> partition;
  for (Operation *at = op; at; at = at->getParentOp()) {
    if (auto stage = dyn_cast<StageOp>(at); stage && !partition)
      partition = stage.getPartition();
    else if (PlacementAttr placement = getPlacement(at);
             placement && !partition)
      partition = placement.getPartition();
    if (auto targets = at->getAttrOfType<ArrayAttr>(kTargetsAttr))
      return pick(targets, partition.value_or(0));
  }
  return defaultTarget(op->getContext());
}

} // namespace smp::ir
