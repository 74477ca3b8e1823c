// SPDX-License-Identifier: Apache-2.0
// The one cost model: what the partitioner, the plan and the program's
// predicted times ask.

#ifndef SMP_PASSES_COSTMODEL_H
#define SMP_PASSES_COSTMODEL_H

#include "smp/ir/Smp.h"
#include "smp/model/Costs.h"
#include <vector>

namespace smp::passes {

/// How much ops have to do, independent of the machine.
struct Work {
  double flops = 0;
  double bytes = 0;          ///< Read from and written to memory.
  unsigned elementBytes = 4; ///< Of what is computed.
};

/// The work of ops that become one kernel: what they compute, and what passes
/// between them and others. Views, constants and reads have none; a group's is
/// that of its ops.
Work workOf(llvm::ArrayRef<mlir::Operation *> kernel);

/// The work of the group of these ops that will take and give these values.
Work workOfGroup(llvm::ArrayRef<mlir::Operation *> ops, mlir::ValueRange inputs,
                 mlir::ValueRange results);

/// The operations of the work, those on elements of 8 bytes counted twice: that
/// many on f32 take as long.
double flopsOfF32(const Work &work);

/// The op whose kernel also computes `op`, as long as both are on one
/// partition: the last one that makes an operand for it alone, of its own
/// shape; or null.
mlir::Operation *findFusionTarget(mlir::Operation *op);

/// The size of a tensor type.
int64_t bytesOf(mlir::Type type);

/// Gives a digest of a signature (smp/ir/Signature.h), which takes time.
using DigestOf = llvm::function_ref<uint64_t()>;

/// Predicts times on one device.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// One run of an op. More work takes no less time, and a part of the work at
  /// least that part of the time.
  virtual double seconds(const Work &work) const = 0;
  /// One run of the kernels of a group that has so much to do.
  virtual double seconds(const Work &work, DigestOf) const {
    return seconds(work);
  }
  /// Whether it is what was measured of kernels with that digest.
  virtual bool isMeasured(uint64_t digest) const { return false; }
  /// Handing a tensor to another device keeps each of both busy for so long,
  /// one after the other.
  virtual double transferSeconds(int64_t bytes) const = 0;
  /// What a stage takes besides its kernels.
  virtual double stageSeconds() const { return 0; }

  /// One run of an op: of the kernels of a group, or what it says itself.
  double seconds(mlir::Operation *op) const;
  /// One run of ops that become one kernel.
  double secondsOfKernel(llvm::ArrayRef<mlir::Operation *> kernel) const;
  /// A run of a stage, or of an entry as one.
  double seconds(mlir::Region &body) const;
  /// Per op of a kernel what it takes at least: however the kernel is divided,
  /// each part takes the sum of its ops or longer. The sum over all is the time
  /// of the whole kernel where its elements are of one size.
  std::vector<double>
  leastSeconds(llvm::ArrayRef<mlir::Operation *> kernel) const;
};

/// The speed of a device, as its target says.
struct MachineModel {
  double flopsPerSecond; ///< Of f32; f64 is half as fast.
  double bytesPerSecond;
  double launchSeconds; ///< Added to every op that has work.
  double transferBytesPerSecond;
  double transferSeconds; ///< Added to every transfer.
};

/// How fast a device of the target is.
MachineModel machineOf(ir::TargetAttr target);

/// An op takes as long as the slower of its arithmetic and its memory traffic.
class RooflineModel : public CostModel {
public:
  explicit RooflineModel(MachineModel machine) : machine(machine) {}
  /// Of the target's devices.
  explicit RooflineModel(ir::TargetAttr target) : machine(machineOf(target)) {}
  using CostModel::seconds;
  double seconds(const Work &work) const override;
  double transferSeconds(int64_t bytes) const override;

private:
  MachineModel machine;
};

/// Kernels take what was measured, others what the roofline says that was
/// fitted to those. Both ends of a link are busy for half of what it takes: a
/// tensor is there after all of it.
class MeasuredModel : public CostModel {
public:
  /// `device` must live as long as the model. Without `link` tensors are handed
  /// over as the target says.
  MeasuredModel(const DeviceCosts &device, const LinkCosts *link,
                ir::TargetAttr target);
  using CostModel::seconds;
  double seconds(const Work &work) const override;
  double seconds(const Work &work, DigestOf digestOf) const override;
  double transferSeconds(int64_t bytes) const override;
  double stageSeconds() const override { return device.stageSeconds; }

  bool isMeasured(uint64_t digest) const override {
    return device.find(digest) != nullptr;
  }

private:
  const DeviceCosts &device;
  double linkSeconds, linkBytesPerSecond;
};

} // namespace smp::passes

#endif // SMP_PASSES_COSTMODEL_H
