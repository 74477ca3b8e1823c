// SPDX-License-Identifier: Apache-2.0
// The targets that a context knows.

#ifndef SMP_CODEGEN_TARGET_TARGETREGISTRY_H
#define SMP_CODEGEN_TARGET_TARGETREGISTRY_H

#include "smp/codegen/target/Target.h"
#include "smp/ir/Target.h"
#include <memory>

namespace smp::codegen {

/// The targets of a context, in the order in which they were added. The first
/// is what modules are compiled for that do not say.
class TargetRegistry : public ir::DefaultTargetInterface {
public:
  using DefaultTargetInterface::DefaultTargetInterface;

  /// Those of the context; null before one is added.
  static const TargetRegistry *of(mlir::MLIRContext *context);

  ir::TargetAttr defaultTarget() const override { return traits.front(); }
  /// Null when there is none of that name.
  const Target *find(llvm::StringRef name) const;
  /// The traits of the target of that name, or null.
  ir::TargetAttr traitsOf(llvm::StringRef name) const;
  /// "cpu, cuda": for errors.
  std::string names() const;
  /// "cpu (v2, v3), cuda (sm_80)": what there is to choose.
  std::string namesWithLevels() const;

private:
  template <typename T>
  friend void addTarget(mlir::DialectRegistry &registry);
  static void add(ir::SmpDialect *dialect, std::unique_ptr<Target> target);

  std::vector<std::unique_ptr<Target>> targets;
  std::vector<ir::TargetAttr> traits; ///< Of each.
};

/// Makes a target known to the contexts of a registry, with the dialects that
/// its kernels are of (T::insertDialects).
template <typename T>
void addTarget(mlir::DialectRegistry &registry) {
  T::insertDialects(registry);
  registry.addExtension(+[](mlir::MLIRContext *, ir::SmpDialect *dialect) {
    TargetRegistry::add(dialect, std::make_unique<T>());
  });
}

/// The target of that name; without it an error at `where` that lists those
/// there are.
mlir::FailureOr<const Target *> findTarget(mlir::Operation *where,
                                           llvm::StringRef name);

/// The target that the op is compiled for (ir::targetOf), or an error there.
mlir::FailureOr<const Target *> findTarget(mlir::Operation *op);

/// Sets what the partitions of a module are compiled for: `names` has one
/// target for all, or one for each; empty: what the module says, where a target
/// that says no traits gets its own. Fails, with an error at the module, for a
/// name that there is not, for traits that the target does not have, and where
/// `levels`, those that are wanted (empty: all), are of no target, or none of
/// them of one.
mlir::LogicalResult chooseTargets(mlir::ModuleOp module,
                                  llvm::ArrayRef<std::string> names,
                                  llvm::ArrayRef<std::string> levels);

} // namespace smp::codegen

#endif // SMP_CODEGEN_TARGET_TARGETREGISTRY_H
