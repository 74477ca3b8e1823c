// SPDX-License-Identifier: Apache-2.0
#include "ChooseCosts.h"
#include "ShippedCosts.h"
#include "smp/base/Lists.h"
#include "smp/codegen/target/TargetRegistry.h"
#include "smp/ir/Costs.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Signature.h"
#include "smp/ir/Target.h"
#include "smp/serialization/CostsFile.h"
#include "llvm/Support/Format.h"
#include <cmath>

using namespace mlir;

namespace smp::compile {

StatusOr<CostChoice> readCostChoice(const std::string &path,
                                    const std::string &of) {
  CostChoice choice;
  const auto shipped = shippedCosts().find(path);
  if (shipped != shippedCosts().end()) {
    SMP_ASSIGN_OR_RETURN(choice.costs, parseCosts(shipped->second));
  } else {
    SMP_ASSIGN_OR_RETURN(choice.costs, readCosts(path));
  }
  choice.source = path;
  const auto [kind, cores] = StringRef(of).split(':');
  choice.kind = kind.str();
  if (!cores.empty() &&
      (cores.getAsInteger(10, choice.cores) || choice.cores == 0))
    return invalidArgument("'" + of +
                           "' has no number of cores behind ':'; "
                           "write it as x86-64-v4:2");
  return choice;
}

static std::string spell(const DeviceCosts *device) {
  return device->kind + ":" + std::to_string(device->cores);
}

/// The devices that are meant, or an error that says which there are.
static FailureOr<const DeviceCosts *> findDevice(ModuleOp module,
                                                 const CostChoice &choice) {
  FailureOr<const codegen::Target *> target =
      codegen::findTarget(module, ir::targetOf(module, 0).getName());
  if (failed(target))
    return failure();
  std::vector<const DeviceCosts *> all, fitting;
  for (const DeviceCosts &device : choice.costs.devices) {
    all.push_back(&device);
    if ((*target)->runsOn(device.kind) &&
        (choice.kind.empty() || choice.kind == device.kind) &&
        (choice.cores == 0 || choice.cores == device.cores))
      fitting.push_back(&device);
  }
  if (fitting.size() == 1)
    return fitting.front();
  if (fitting.empty()) {
    InFlightDiagnostic error = module.emitError();
    error << "'" << choice.source << "' has costs of devices ("
          << join(all, ", ", spell) << "), and the program is compiled for '"
          << (*target)->name() << "'";
    if (!choice.kind.empty())
      error << " on " << choice.kind
            << (choice.cores ? ":" + std::to_string(choice.cores) : "");
    error << "; measure it there with smp-run --profile, or leave costs out";
    return error;
  }
  return module.emitError()
         << "'" << choice.source << "' has costs of several devices that fit, "
         << join(fitting, ", ", spell)
         << "; say which are meant (smp-compile --costs-of "
         << spell(fitting.front()) << ")";
}

FailureOr<std::unique_ptr<passes::CostModel>>
makeCostModel(ModuleOp module, const std::optional<CostChoice> &choice) {
  // Until placement knows kinds of devices, all are as fast as the first.
  const ir::TargetAttr target = ir::targetOf(module, 0);
  if (!choice)
    return std::unique_ptr<passes::CostModel>(
        std::make_unique<passes::RooflineModel>(target));
  if (std::optional<std::string> wrong = checkCosts(choice->costs))
    return module.emitError() << "'" << choice->source << "': " << *wrong;
  FailureOr<const DeviceCosts *> device = findDevice(module, *choice);
  if (failed(device))
    return failure();
  const std::string &kind = (*device)->kind;
  return std::unique_ptr<passes::CostModel>(
      std::make_unique<passes::MeasuredModel>(
          **device, choice->costs.findLink(kind, kind), target));
}

LogicalResult sayWeights(ModuleOp module,
                         const std::map<std::string, double> &weights) {
  std::vector<std::string> names;
  for (auto entry : module.getOps<ir::EntryOp>())
    names.push_back(entry.getSymName().str());
  for (const auto &[name, weight] : weights) {
    auto entry = module.lookupSymbol<ir::EntryOp>(name);
    if (!entry)
      return module.emitError() << "'" << name
                                << "' is given a weight and is no entry; the "
                                   "entries are: "
                                << listNames(names);
    if (!std::isfinite(weight) || weight < 0)
      return entry.emitError()
             << "entry '" << name << "' is given the weight " << weight
             << "; it must be a finite number of 0 or more";
    entry->setAttr(ir::kWeightAttr, Builder(entry).getF64FloatAttr(weight));
  }
  return success();
}

/// In how many microbatches a stage of the entry runs once.
static double runsOf(ir::EntryOp entry, ir::StageOp stage) {
  auto count = entry->getAttrOfType<IntegerAttr>(ir::kMicrobatchesAttr);
  return count && stage.getUnit() == ir::Unit::Update ? double(count.getInt())
                                                      : 1;
}

void printMeasured(llvm::raw_ostream &os, ModuleOp staged,
                   const CostChoice &choice, const passes::CostModel &model) {
  double measured = 0, all = 0;
  SymbolTable symbols(staged);
  for (auto entry : staged.getOps<ir::EntryOp>())
    for (auto run : entry.getBody().getOps<ir::RunOp>()) {
      auto stage = symbols.lookup<ir::StageOp>(run.getStage());
      for (auto group : stage.getBody().getOps<ir::GroupOp>()) {
        const double seconds = model.seconds(group) / runsOf(entry, stage);
        all += seconds;
        if (model.isMeasured(ir::digestOf(group)))
          measured += seconds;
      }
    }
  os << "costs of '" << choice.source
     << "': " << llvm::format("%.1f %%", all > 0 ? 100 * measured / all : 100.0)
     << " of what kernels take was measured, the rest follows from that\n";
}

} // namespace smp::compile
