// SPDX-License-Identifier: Apache-2.0
// The one cost model: what the partitioner, the plan and the program's
// predicted times ask.

#ifndef SMP_PASSES_COSTMODEL_H
#define SMP_PASSES_COSTMODEL_H

#include "smp/ir/Smp.h"
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

/// The op whose kernel also computes `op`, as long as both are on one
/// partition: the last one that makes an operand for it alone, of its own
/// shape; or null.
mlir::Operation *findFusionTarget(mlir::Operation *op);

/// The size of a tensor type.
int64_t bytesOf(mlir::Type type);

/// Predicts times on one device.
class CostModel {
public:
  virtual ~CostModel() = default;
  /// One run of an op. More work takes no less time, and a part of the work at
  /// least that part of the time.
  virtual double seconds(const Work &work) const = 0;
  /// Handing a tensor to another device; both are busy for as long.
  virtual double transferSeconds(int64_t bytes) const = 0;

  double seconds(mlir::Operation *op) const { return seconds(workOf(op)); }
  /// All ops of a stage or an entry, one after the other.
  double seconds(mlir::Region &body) const;
  /// Per op of a kernel what it takes at least: however the kernel is divided,
  /// each part takes the sum of its ops or longer. The sum over all is the time
  /// of the whole kernel where its elements are of one size.
  std::vector<double>
  leastSeconds(llvm::ArrayRef<mlir::Operation *> kernel) const;
};

/// The speed of a device.
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

} // namespace smp::passes

#endif // SMP_PASSES_COSTMODEL_H
