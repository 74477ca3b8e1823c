// SPDX-License-Identifier: Apache-2.0
// The processor as a target: a psABI level of x86-64 per variant, all kernels
// of a program in one shared object.

#ifndef SMP_CODEGEN_CPU_CPUTARGET_H
#define SMP_CODEGEN_CPU_CPUTARGET_H

#include "smp/codegen/target/Target.h"

namespace smp::codegen::cpu {

class CpuTarget final : public Target {
public:
  /// The dialects that kernel functions are of.
  static void insertDialects(mlir::DialectRegistry &registry);

  llvm::StringRef name() const override { return "cpu"; }
  llvm::StringRef architecture() const override { return "x86-64"; }
  ir::TargetAttr traits(mlir::MLIRContext *context) const override;
  llvm::ArrayRef<llvm::StringRef> levels() const override;
  void loadDialects(mlir::MLIRContext *context) const override;
  /// One launch per group.
  mlir::FailureOr<KernelPlan> plan(ir::GroupOp group) const override;
  mlir::FailureOr<std::vector<LaunchShape>>
  emit(mlir::ModuleOp code, const KernelSource &source,
       llvm::StringRef level) const override;
  mlir::FailureOr<ObjectCode> compile(mlir::Location where,
                                      llvm::ArrayRef<KernelSource> sources,
                                      llvm::StringRef level) const override;
  mlir::FailureOr<LinkedImages>
  link(mlir::Location where, llvm::ArrayRef<ObjectCode> objects) const override;
};

} // namespace smp::codegen::cpu

#endif // SMP_CODEGEN_CPU_CPUTARGET_H
