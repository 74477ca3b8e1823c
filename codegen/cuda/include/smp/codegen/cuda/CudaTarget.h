// SPDX-License-Identifier: Apache-2.0
// NVIDIA GPUs as a target: kernels as PTX, an image per object.

#ifndef SMP_CODEGEN_CUDA_CUDATARGET_H
#define SMP_CODEGEN_CUDA_CUDATARGET_H

#include "smp/codegen/target/Target.h"

namespace smp::codegen::cuda {

class CudaTarget final : public Target {
public:
  /// The dialects that kernel functions are of.
  static void insertDialects(mlir::DialectRegistry &registry);

  llvm::StringRef name() const override { return "cuda"; }
  llvm::StringRef architecture() const override { return "cuda"; }
  ImageForm imageForm() const override { return ImageForm::Ptx; }
  ir::TargetAttr traits(mlir::MLIRContext *context) const override;
  llvm::ArrayRef<llvm::StringRef> levels() const override;
  /// "sm_90a/9.0": the level that a GPU takes, and what it is.
  bool runsOn(llvm::StringRef kind) const override {
    return kind.starts_with("sm_");
  }
  void loadDialects(mlir::MLIRContext *context) const override;
  /// One launch per group. Nothing is packed.
  mlir::FailureOr<KernelPlan> plan(ir::GroupOp group) const override;
  mlir::FailureOr<std::vector<LaunchShape>>
  emit(mlir::ModuleOp code, const KernelSource &source,
       llvm::StringRef level) const override;
  /// PTX, which is refused where it calls something or rounds otherwise than
  /// ops say (Ptx.h).
  mlir::FailureOr<ObjectCode> compile(mlir::Location where,
                                      llvm::ArrayRef<KernelSource> sources,
                                      llvm::StringRef level) const override;
  /// An image per object, so that a device loads those that it needs.
  mlir::FailureOr<LinkedImages>
  link(mlir::Location where, llvm::ArrayRef<ObjectCode> objects) const override;
  /// ptxas.
  mlir::FailureOr<std::unique_ptr<Assembler>>
  findAssembler(mlir::Location where, llvm::StringRef command) const override;
};

} // namespace smp::codegen::cuda

#endif // SMP_CODEGEN_CUDA_CUDATARGET_H
