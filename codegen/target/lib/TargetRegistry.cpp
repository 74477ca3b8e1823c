// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/TargetRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace smp::codegen {

bool Target::runsOn(StringRef kind) const {
  return kind.consume_front(architecture()) && kind.consume_front("-") &&
         llvm::is_contained(levels(), kind);
}

const TargetRegistry *TargetRegistry::of(MLIRContext *context) {
  Dialect *dialect = context->getLoadedDialect<ir::SmpDialect>();
  if (!dialect)
    return nullptr;
  return static_cast<const TargetRegistry *>(
      dialect->getRegisteredInterface<ir::DefaultTargetInterface>());
}

void TargetRegistry::add(ir::SmpDialect *dialect,
                         std::unique_ptr<Target> target) {
  auto *known = static_cast<TargetRegistry *>(
      dialect->getRegisteredInterface<ir::DefaultTargetInterface>());
  if (!known) {
    known = new TargetRegistry(dialect);
    dialect->addInterface(std::unique_ptr<DialectInterface>(known));
  }
  if (known->find(target->name()))
    return;
  known->traits.push_back(target->traits(dialect->getContext()));
  known->targets.push_back(std::move(target));
}

const Target *TargetRegistry::find(StringRef name) const {
  for (const auto &target : targets)
    if (target->name() == name)
      return target.get();
  return nullptr;
}

ir::TargetAttr TargetRegistry::traitsOf(StringRef name) const {
  for (ir::TargetAttr each : traits)
    if (each.getName() == name)
      return each;
  return {};
}

std::string TargetRegistry::names() const {
  return llvm::join(llvm::map_range(targets,
                                    [](const std::unique_ptr<Target> &target) {
                                      return target->name();
                                    }),
                    ", ");
}

std::string TargetRegistry::namesWithLevels() const {
  std::string text;
  for (const auto &target : targets)
    text += (text.empty() ? "" : ", ") + target->name().str() + " (" +
            llvm::join(target->levels(), ", ") + ")";
  return text;
}

FailureOr<const Target *> findTarget(Operation *where, StringRef name) {
  const TargetRegistry *known = TargetRegistry::of(where->getContext());
  if (const Target *target = known ? known->find(name) : nullptr)
    return target;
  return where->emitError() << "there is no target '" << name << "'; there is "
                            << (known ? known->names() : "none");
}

FailureOr<const Target *> findTarget(Operation *op) {
  return findTarget(op, ir::targetOf(op).getName());
}

/// The registered target that `said` names, whose traits it has, if any.
static FailureOr<ir::TargetAttr> resolve(ModuleOp module, ir::TargetAttr said) {
  MLIRContext *context = module.getContext();
  if (failed(findTarget(module, said.getName())))
    return failure();
  ir::TargetAttr known = TargetRegistry::of(context)->traitsOf(said.getName());
  if (said != known && said != ir::TargetAttr::get(context, said.getName()))
    return module.emitError()
           << "target '" << said.getName() << "' has not " << said << " but "
           << known << "; write its name alone";
  return known;
}

static LogicalResult checkLevels(ModuleOp module,
                                 ArrayRef<const Target *> targets,
                                 ArrayRef<std::string> wanted) {
  auto isWanted = [&](StringRef level) {
    return llvm::is_contained(wanted, level.str());
  };
  for (const Target *target : targets)
    if (!wanted.empty() && llvm::none_of(target->levels(), isWanted))
      return module.emitError()
             << "kernels for target '" << target->name() << "' have the levels "
             << llvm::join(target->levels(), ", ")
             << "; none of them is wanted, but " << llvm::join(wanted, ", ");
  for (const std::string &level : wanted)
    if (llvm::none_of(targets, [&](const Target *target) {
          return llvm::is_contained(target->levels(), level);
        }))
      return module.emitError()
             << "no target of the program has a level '" << level << "'";
  return success();
}

LogicalResult chooseTargets(ModuleOp module, ArrayRef<std::string> names,
                            ArrayRef<std::string> levels) {
  MLIRContext *context = module.getContext();
  SmallVector<ir::TargetAttr> said;
  for (const std::string &name : names)
    said.push_back(ir::TargetAttr::get(context, name));
  auto list = module->getAttrOfType<ArrayAttr>(ir::kTargetsAttr);
  if (said.empty() && list)
    llvm::append_range(said, list.getAsRange<ir::TargetAttr>());
  if (said.empty())
    said.push_back(ir::targetOf(module, 0));
  SmallVector<mlir::Attribute> chosen;
  SmallVector<const Target *> targets;
  for (ir::TargetAttr each : said) {
    FailureOr<ir::TargetAttr> known = resolve(module, each);
    if (failed(known))
      return failure();
    chosen.push_back(*known);
    targets.push_back(TargetRegistry::of(context)->find(known->getName()));
  }
  module->setAttr(ir::kTargetsAttr, ArrayAttr::get(context, chosen));
  return checkLevels(module, targets, levels);
}

} // namespace smp::codegen
