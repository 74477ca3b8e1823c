// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/target/TargetRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace smp::codegen {

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
  known->targets.push_back(std::move(target));
}

ir::TargetAttr TargetRegistry::defaultTarget() const {
  return targets.front()->traits(getDialect()->getContext());
}

const Target *TargetRegistry::find(StringRef name) const {
  for (const auto &target : targets)
    if (target->name() == name)
      return target.get();
  return nullptr;
}

std::string TargetRegistry::names() const {
  return llvm::join(llvm::map_range(targets,
                                    [](const std::unique_ptr<Target> &target) {
                                      return target->name();
                                    }),
                    ", ");
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

LogicalResult setTargets(ModuleOp module, ArrayRef<std::string> names) {
  SmallVector<mlir::Attribute> targets;
  for (const std::string &name : names) {
    FailureOr<const Target *> target = findTarget(module, name);
    if (failed(target))
      return failure();
    targets.push_back((*target)->traits(module.getContext()));
  }
  module->setAttr(ir::kTargetsAttr,
                  ArrayAttr::get(module.getContext(), targets));
  return success();
}

} // namespace smp::codegen
