// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/pipeline/EntryFlow.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

FlowGraph::Role flowRoleOf(Operation *op) {
  using Role = FlowGraph::Role;
  return llvm::TypeSwitch<Operation *, Role>(op)
      .Case<TransferOp>([](auto) { return Role::Transfer; })
      .Case<AssignOp>([](auto) { return Role::Write; })
      .Case<ReadOp>([](auto) { return Role::Read; })
      .Case<PreparedOp>([](auto) { return Role::Prepared; })
      .Case<ConstantOp>([](auto) { return Role::Constant; })
      .Default([](Operation *other) {
        return roleOf(other) == OpRole::Alias ? Role::Alias : Role::Kernel;
      });
}

Phase flowPhaseOf(Operation *op) {
  switch (getPhase(op)) {
  case ir::Unit::BackwardInput:
    return Phase::Backward;
  case ir::Unit::BackwardWeight:
    return Phase::Weight;
  case ir::Unit::Update:
    return Phase::Update;
  case ir::Unit::Forward:
  case ir::Unit::Prepare:
    return Phase::Forward;
  }
  llvm_unreachable("every unit is one of these");
}

namespace {

class FlowBuilder {
public:
  explicit FlowBuilder(EntryOp entry) : entry(entry) {}

  EntryFlow build() {
    Block &body = entry.getBody().front();
    if (auto count = entry->getAttrOfType<IntegerAttr>(kMicrobatchesAttr))
      flow.graph.microbatches = uint32_t(count.getInt());
    for (BlockArgument argument : body.getArguments())
      numberOf[argument] = flow.graph.addValue({});
    for (Operation &op : body.without_terminator())
      add(&op);
    for (Value value : body.getTerminator()->getOperands())
      flow.graph.results.push_back({numberOf.lookup(value)});
    return std::move(flow);
  }

private:
  void add(Operation *op) {
    FlowGraph::Op made;
    made.role = flowRoleOf(op);
    made.phase = flowPhaseOf(op);
    if (PlacementAttr placement = getPlacement(op)) {
      made.partition = placement.isAll() ? FlowGraph::kEverywhere
                                         : int32_t(placement.getPartition());
      made.isPinned = made.isSource() && placement.isUser();
    }
    if (auto read = dyn_cast<ReadOp>(op))
      made.subject = variable(read.getVariableAttr());
    if (auto assign = dyn_cast<AssignOp>(op))
      made.subject = variable(assign.getVariableAttr());
    for (Value operand : op->getOperands())
      made.operands.push_back(numberOf.lookup(operand));
    for (Value result : op->getResults()) {
      numberOf[result] = flow.graph.addValue({uint32_t(flow.ops.size())});
      made.results.push_back(numberOf[result]);
    }
    flow.graph.ops.push_back(std::move(made));
    flow.ops.push_back(op);
  }

  uint32_t variable(FlatSymbolRefAttr name) {
    return variables.try_emplace(name.getAttr(), uint32_t(variables.size()))
        .first->second;
  }

  EntryOp entry;
  EntryFlow flow;
  llvm::DenseMap<Value, uint32_t> numberOf;
  llvm::DenseMap<StringAttr, uint32_t> variables;
};

} // namespace

EntryFlow flowOf(EntryOp entry) { return FlowBuilder(entry).build(); }

} // namespace smp::passes
