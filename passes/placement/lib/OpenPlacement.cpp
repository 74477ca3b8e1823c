// SPDX-License-Identifier: Apache-2.0
#include "OpenPlacement.h"
#include "PlaceItems.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
namespace {

/// What the solver has decided, and constants, which follow their users.
bool isOpen(Operation *op) {
  return getPlacement(op).getOrigin() == Origin::Solver ||
         (isa<ConstantOp>(op) && !isItem(op) && !getPlacement(op).isAll());
}

ModuleOp withoutDecisions(ModuleOp module) {
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator())
      if (isOpen(&op))
        op.removeAttr(kPlacementAttr);
  return module;
}

} // namespace

OpenPlacement::OpenPlacement(OwningOpRef<ModuleOp> placed,
                             const CostModel &costs,
                             const PlacementRequest &request)
    : module(std::move(placed)),
      question(askProblem(withoutDecisions(*module), costs, request,
                          {.keepsLimit = false}, /*keepsKernels=*/false)) {
  for (auto entry : module->getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator()) {
      numberOf.try_emplace(&op, numberOf.size());
      if (!getPlacement(&op))
        open.push_back(&op);
    }
}

std::vector<uint32_t>
OpenPlacement::itemsOf(const Assignment &assignment) const {
  std::vector<uint32_t> partitionOf;
  for (ArrayRef<Operation *> ops : question.ops)
    partitionOf.push_back(
        uint32_t(assignment.partitionOf[numberOf.lookup(ops.front())]));
  return partitionOf;
}

ModuleOp OpenPlacement::place(const std::vector<uint32_t> &partitionOf) {
  for (Operation *op : open)
    op->removeAttr(kPlacementAttr);
  for (auto [ops, partition] : llvm::zip(question.ops, partitionOf))
    for (Operation *op : ops)
      if (!getPlacement(op))
        setPlacement(op, partition, Origin::Solver);
  placeTheRest(*module);
  return *module;
}

} // namespace smp::passes
