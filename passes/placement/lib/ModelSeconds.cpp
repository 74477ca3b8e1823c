// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/placement/ModelSeconds.h"
#include "mlir/IR/Builders.h"
#include "smp/ir/Costs.h"
#include "smp/ir/ModelOps.h"
#include "smp/passes/fusion/MakeGroup.h"
#include "smp/passes/placement/LoweredModel.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

namespace {

/// Divides what kernels take among ops of the model.
class Divider {
public:
  Divider(MLIRContext *context, size_t numOps, const CostModel &model)
      : model(model), signer(context), seconds(numOps) {}

  void divide(Block &block) {
    const GroupPlan plan(block);
    for (const auto &group : plan.groups())
      divide(*group, boundaryOf(plan, *group));
  }

  ArrayRef<double> secondsOfOps() const { return seconds; }

private:
  static std::optional<size_t> numberIn(Operation *op) {
    auto number = op->getAttrOfType<IntegerAttr>(kModelOpAttr);
    return number ? std::optional(size_t(number.getInt())) : std::nullopt;
  }

  /// What the ops of no op of the model take is the others'.
  void divide(const Group &group, const GroupBoundary &boundary) {
    const double total =
        model.seconds(workOfGroup(boundary.body, boundary.inputs.getArrayRef(),
                                  boundary.results),
                      [&] { return signer.digestOf(group, boundary); });
    std::vector<double> parts = model.leastSeconds(group.ops);
    double sum = 0;
    size_t numbered = 0;
    for (auto [op, part] : llvm::zip(group.ops, parts))
      if (numberIn(op)) {
        sum += part;
        ++numbered;
      }
    for (auto [op, part] : llvm::zip(group.ops, parts))
      if (std::optional<size_t> number = numberIn(op))
        seconds[*number] +=
            total * (sum > 0 ? part / sum : 1 / double(numbered));
  }

  const CostModel &model;
  GroupSigner signer;
  std::vector<double> seconds; ///< By number.
};

void visitOps(ModuleOp module, llvm::function_ref<void(Operation *)> visit) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator())
      visit(&op);
}

} // namespace

LogicalResult assignSeconds(ModuleOp module, OwningOpRef<ModuleOp> lowered,
                            const CostModel &model) {
  size_t numOps = 0;
  visitOps(module, [&](Operation *) { ++numOps; });
  auto plain = LoweredModel::of(std::move(lowered), model, {});
  if (!plain)
    return failure();
  Divider divider(module.getContext(), numOps, model);
  for (auto entry : plain->onOnePartition().getOps<EntryOp>())
    divider.divide(entry.getBody().front());
  Builder b(module.getContext());
  size_t number = 0;
  visitOps(module, [&](Operation *op) {
    op->setAttr(kSecondsAttr,
                b.getF64FloatAttr(divider.secondsOfOps()[number++]));
  });
  return success();
}

void removeSeconds(ModuleOp module) {
  visitOps(module, [](Operation *op) { op->removeAttr(kSecondsAttr); });
}

} // namespace smp::passes
