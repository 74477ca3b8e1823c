// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Target.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Strategy.h"

using namespace mlir;

namespace smp::ir {

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, ArrayAttr whole,
                                 int64_t packedBytes, ArrayAttr fused,
                                 int64_t groupOps, bool, int64_t flopsPerSecond,
                                 int64_t bytesPerSecond, int64_t launchNs,
                                 int64_t transferBytesPerSecond,
                                 int64_t transferNs) {
  if (name.empty())
    return emitError() << "a target has an empty name";
  if (whole && !llvm::all_of(whole, llvm::IsaPred<StringAttr>))
    return emitError() << "target '" << name << "' keeps " << whole
                       << " whole; it must be a list of ops' names";
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

TargetAttr targetOf(ModuleOp module, int64_t partition) {
  if (auto targets = module->getAttrOfType<ArrayAttr>(kTargetsAttr)) {
    const size_t number =
        targets.size() == 1 ? 0 : size_t(std::max<int64_t>(partition, 0));
    if (number < targets.size())
      return cast<TargetAttr>(targets[number]);
  }
  MLIRContext *context = module.getContext();
  Dialect *dialect = context->getLoadedDialect<SmpDialect>();
  auto *known = dialect
                    ? dialect->getRegisteredInterface<DefaultTargetInterface>()
                    : nullptr;
  if (known)
    return known->defaultTarget();
  return TargetAttr::get(context, "generic");
}

TargetAttr targetOf(Operation *op) {
  int64_t partition = 0;
  if (auto stage =
          isa<StageOp>(op) ? cast<StageOp>(op) : op->getParentOfType<StageOp>())
    partition = stage.getPartition();
  else if (PlacementAttr placement = getPlacement(op))
    partition = placement.getPartition();
  auto module =
      isa<ModuleOp>(op) ? cast<ModuleOp>(op) : op->getParentOfType<ModuleOp>();
  return targetOf(module, partition);
}

} // namespace smp::ir
