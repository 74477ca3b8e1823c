// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/CostModel.h"
#include "smp/ir/Costs.h"
#include "smp/ir/Signature.h"
#include "smp/ir/Smp.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

static unsigned elementBits(Type type) {
  return cast<ShapedType>(type).getElementType().getIntOrFloatBitWidth();
}

int64_t bytesOf(Type type) {
  int64_t bytesPerElement = (elementBits(type) + 7) / 8;
  return cast<ShapedType>(type).getNumElements() * bytesPerElement;
}

Operation *findFusionTarget(Operation *op) {
  if (!op->hasTrait<trait::Elementwise>() && !isa<BatchNormOp>(op))
    return nullptr;
  Operation *target = nullptr;
  for (Value operand : op->getOperands()) {
    Operation *producer = operand.getDefiningOp();
    if (producer && !isFree(producer) && operand.hasOneUse() &&
        cast<ShapedType>(operand.getType()).getShape() ==
            cast<ShapedType>(op->getResult(0).getType()).getShape() &&
        (!target || target->isBeforeInBlock(producer)))
      target = producer;
  }
  return target;
}

static unsigned elementBytesOf(Operation *op) {
  if (op->getNumResults() == 0)
    return 4;
  return (elementBits(op->getResult(0).getType()) + 7) / 8;
}

/// Of ten rounds over blocks of four elements.
static constexpr double kInstructionsPerDraw = 8;

static double flopsOf(Operation *op) {
  double flops = 0;
  if (auto random = dyn_cast<RandomOp>(op))
    return kInstructionsPerDraw *
           double(cast<ShapedType>(random.getType()).getNumElements());
  if (auto costed = dyn_cast<CostOpInterface>(op); costed && !isFree(op))
    flops = costed.getFlops();
  if (auto group = dyn_cast<GroupOp>(op))
    for (Operation &inner : group.getBody().front())
      flops += flopsOf(&inner);
  return flops;
}

using Kernel = llvm::SmallPtrSet<Operation *, 16>;

/// What the op adds to the work of its kernel.
static Work shareOf(Operation *op, const Kernel &kernel) {
  Work work;
  if (isFree(op))
    return work;
  work.flops = flopsOf(op);
  work.elementBytes = std::max(work.elementBytes, elementBytesOf(op));
  for (Value operand : op->getOperands())
    if (!kernel.contains(operand.getDefiningOp()))
      work.bytes += double(bytesOf(operand.getType()));
  for (Value result : op->getResults())
    if (!llvm::all_of(result.getUsers(),
                      [&](Operation *user) { return kernel.contains(user); }))
      work.bytes += double(bytesOf(result.getType()));
  return work;
}

Work workOf(ArrayRef<Operation *> kernel) {
  const Kernel members(kernel.begin(), kernel.end());
  Work work;
  for (Operation *op : kernel) {
    Work share = shareOf(op, members);
    work.flops += share.flops;
    work.bytes += share.bytes;
    work.elementBytes = std::max(work.elementBytes, share.elementBytes);
  }
  return work;
}

Work workOfGroup(ArrayRef<Operation *> ops, ValueRange inputs,
                 ValueRange results) {
  Work work;
  for (Operation *op : ops)
    work.flops += flopsOf(op);
  for (ValueRange values : {inputs, results})
    for (Value value : values)
      work.bytes += double(bytesOf(value.getType()));
  if (!results.empty())
    work.elementBytes = std::max(
        work.elementBytes, (elementBits(results.front().getType()) + 7) / 8);
  return work;
}

static bool isSaid(Operation *op) { return op->hasAttr(kSecondsAttr); }

double flopsOfF32(const Work &work) {
  return work.flops * (work.elementBytes > 4 ? 2 : 1);
}

std::vector<double>
CostModel::leastSeconds(ArrayRef<Operation *> kernel) const {
  if (llvm::any_of(kernel, isSaid)) {
    std::vector<double> said;
    for (Operation *op : kernel)
      said.push_back(seconds(op));
    return said;
  }
  const Kernel members(kernel.begin(), kernel.end());
  Work compute, traffic;
  SmallVector<Work> shares;
  unsigned narrowest = std::numeric_limits<unsigned>::max();
  for (Operation *op : kernel) {
    const Work &share = shares.emplace_back(shareOf(op, members));
    compute.flops += share.flops;
    traffic.bytes += share.bytes;
    if (!isFree(op))
      narrowest = std::min(narrowest, share.elementBytes);
  }
  compute.elementBytes = traffic.elementBytes = narrowest;
  // A part has all flops of its ops, and no less traffic with what is outside
  // of the kernel than they have. What takes longer of the two is counted.
  const double computing = seconds(compute), moving = seconds(traffic);
  std::vector<double> least;
  for (const Work &share : shares)
    if (computing >= moving)
      least.push_back(compute.flops ? computing * share.flops / compute.flops
                                    : 0);
    else
      least.push_back(moving * share.bytes / traffic.bytes);
  return least;
}

double CostModel::seconds(Operation *op) const {
  if (auto said = op->getAttrOfType<FloatAttr>(kSecondsAttr))
    return said.getValueAsDouble();
  if (auto group = dyn_cast<GroupOp>(op))
    return seconds(workOf(op), [&] { return digestOf(group); });
  return seconds(workOf(op));
}

double CostModel::secondsOfKernel(ArrayRef<Operation *> kernel) const {
  if (llvm::none_of(kernel, isSaid))
    return seconds(workOf(kernel));
  double total = 0;
  for (Operation *op : kernel)
    total += seconds(op);
  return total;
}

double CostModel::seconds(Region &body) const {
  double total = stageSeconds();
  for (Operation &op : body.getOps())
    total += seconds(&op);
  return total;
}

MachineModel machineOf(TargetAttr target) {
  constexpr double kNanoseconds = 1e9;
  return {.flopsPerSecond = double(target.getFlopsPerSecond()),
          .bytesPerSecond = double(target.getBytesPerSecond()),
          .launchSeconds = double(target.getLaunchNs()) / kNanoseconds,
          .transferBytesPerSecond = double(target.getTransferBytesPerSecond()),
          .transferSeconds = double(target.getTransferNs()) / kNanoseconds};
}

double RooflineModel::seconds(const Work &work) const {
  if (work.flops == 0 && work.bytes == 0)
    return 0;
  return machine.launchSeconds +
         std::max(flopsOfF32(work) / machine.flopsPerSecond,
                  work.bytes / machine.bytesPerSecond);
}

double RooflineModel::transferSeconds(int64_t bytes) const {
  return machine.transferSeconds +
         double(bytes) / machine.transferBytesPerSecond;
}

MeasuredModel::MeasuredModel(const DeviceCosts &device, const LinkCosts *link,
                             TargetAttr target)
    : device(device) {
  const MachineModel machine = machineOf(target);
  linkSeconds = link ? link->seconds : machine.transferSeconds;
  linkBytesPerSecond =
      link ? link->bytesPerSecond : machine.transferBytesPerSecond;
}

double MeasuredModel::seconds(const Work &work) const {
  if (work.flops == 0 && work.bytes == 0)
    return 0;
  return device.roofline.seconds(flopsOfF32(work), work.bytes);
}

double MeasuredModel::seconds(const Work &work, DigestOf digestOf) const {
  if (work.flops == 0 && work.bytes == 0)
    return 0;
  const KernelCost *kernel = device.find(digestOf());
  return kernel ? kernel->seconds : seconds(work);
}

double MeasuredModel::transferSeconds(int64_t bytes) const {
  return (linkSeconds + double(bytes) / linkBytesPerSecond) / 2;
}

} // namespace smp::passes
