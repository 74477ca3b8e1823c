// SPDX-License-Identifier: Apache-2.0
// A target of the tests, as unlike the processor as can be: the code of a
// kernel is its group as text, which TapeDriver evaluates op by op. Products
// are not packed, some composites stay whole, only loops take further ops, each
// group is done in two launches that hand each other temporaries, and there is
// an image per level.

#ifndef SMP_TESTS_TARGET_TAPETARGET_H
#define SMP_TESTS_TARGET_TAPETARGET_H

#include "smp/codegen/target/Target.h"

namespace smp::test {

inline constexpr std::string_view kTapeArchitecture = "tape-reader";

class TapeTarget : public codegen::Target {
public:
  static void insertDialects(mlir::DialectRegistry &) {}

  llvm::StringRef name() const override { return "tape"; }
  llvm::StringRef architecture() const override { return kTapeArchitecture; }
  ir::TargetAttr traits(mlir::MLIRContext *context) const override;
  llvm::ArrayRef<llvm::StringRef> levels() const override;
  void loadDialects(mlir::MLIRContext *) const override {}
  mlir::FailureOr<codegen::KernelPlan> plan(ir::GroupOp group) const override;
  mlir::FailureOr<std::vector<codegen::LaunchShape>>
  emit(mlir::ModuleOp code, const codegen::KernelSource &source,
       llvm::StringRef level) const override;
  mlir::FailureOr<codegen::ObjectCode>
  compile(mlir::Location where, llvm::ArrayRef<codegen::KernelSource> sources,
          llvm::StringRef level) const override;
  mlir::FailureOr<codegen::LinkedImages>
  link(mlir::Location where,
       llvm::ArrayRef<codegen::ObjectCode> objects) const override;
};

} // namespace smp::test

#endif // SMP_TESTS_TARGET_TAPETARGET_H
