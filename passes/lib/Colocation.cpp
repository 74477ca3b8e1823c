// SPDX-License-Identifier: Apache-2.0
#include "smp/passes/Colocation.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {

int64_t getNumPartitions(ModuleOp module) {
  auto count = module->getAttrOfType<IntegerAttr>(kPartitionsAttr);
  return count ? count.getInt() : 1;
}

LogicalResult verifyPlaced(ModuleOp module) {
  const int64_t partitions = getNumPartitions(module);
  for (auto entry : module.getOps<EntryOp>())
    for (Operation &op : entry.getBody().front().without_terminator()) {
      PlacementAttr placement = getPlacement(&op);
      if (!placement)
        return op.emitOpError("has no placement").attachNote()
               << "run --smp-partition first";
      if (!placement.isAll() && placement.getPartition() >= partitions)
        return op.emitOpError()
               << "is on partition " << placement.getPartition()
               << " of a module for " << partitions;
    }
  return success();
}

std::string describe(Operation *op) {
  if (StringRef name = getOriginName(op); !name.empty())
    return ("'" + name + "'").str();
  return ("an unnamed " + op->getName().getStringRef()).str();
}

bool isCopied(Operation *op) {
  PlacementAttr placement = getPlacement(op);
  return isSource(op) && !(placement && placement.isUser());
}

VariableUsers::VariableUsers(ModuleOp module) : symbols(module) {
  for (auto entry : module.getOps<EntryOp>())
    addEntry(entry);
}

ArrayRef<StringAttr> VariableUsers::variables(Operation *op) const {
  auto found = variablesOf.find(op);
  return found == variablesOf.end() ? ArrayRef<StringAttr>() : found->second;
}

void VariableUsers::add(Operation *op, StringAttr variable) {
  SmallVector<StringAttr> &variables = variablesOf[op];
  if (llvm::is_contained(variables, variable))
    return;
  variables.push_back(variable);
  usersOf[variable].push_back(op);
}

void VariableUsers::addEntry(EntryOp entry) {
  for (Operation &op : entry.getBody().front().without_terminator()) {
    // A group may read inside its body.
    op.walk([&](ReadOp read) { add(&op, read.getVariableAttr().getAttr()); });
    if (auto prepared = dyn_cast<PreparedOp>(op))
      for (StringAttr variable : ofPrepared(prepared))
        add(&op, variable);
    if (auto assign = dyn_cast<AssignOp>(op)) {
      add(&op, assign.getVariableAttr().getAttr());
      assigned.insert(assign.getVariableAttr().getAttr());
    }
    for (Value operand : op.getOperands())
      if (Operation *source = operand.getDefiningOp();
          source && isSource(source))
        for (StringAttr variable : SmallVector<StringAttr>(variables(source)))
          add(&op, variable);
  }
  for (auto assign : entry.getBody().getOps<AssignOp>())
    if (VariableOp variable = lookup(assign.getVariableAttr().getAttr());
        variable && variable.getKind() == VariableKind::State)
      addBetween(assign);
}

/// Adds the ops on paths from reads of the variable to the assign.
void VariableUsers::addBetween(AssignOp assign) {
  llvm::SetVector<Operation *> above; // What the assign is computed from.
  above.insert(assign);
  for (size_t i = 0; i < above.size(); ++i)
    for (Value operand : above[i]->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        above.insert(producer);
  StringAttr variable = assign.getVariableAttr().getAttr();
  llvm::DenseSet<Operation *> reached;
  for (Operation &op : *assign->getBlock()) {
    if (!above.contains(&op))
      continue;
    auto read = dyn_cast<ReadOp>(op);
    if (read ? read.getVariableAttr().getAttr() == variable
             : llvm::any_of(op.getOperands(), [&](Value operand) {
                 return reached.contains(operand.getDefiningOp());
               })) {
      reached.insert(&op);
      add(&op, variable);
    }
  }
}

/// What the prepare stage's result is computed from.
SmallVector<StringAttr> VariableUsers::ofPrepared(PreparedOp op) {
  auto stage = symbols.lookup<StageOp>(op.getStage());
  if (!stage)
    return {};
  SmallVector<StringAttr> found;
  llvm::SmallDenseSet<Operation *> seen;
  SmallVector<Value> pending{
      stage.getBody().front().getTerminator()->getOperand(op.getIndex())};
  while (!pending.empty()) {
    Operation *producer = pending.pop_back_val().getDefiningOp();
    if (!producer || !seen.insert(producer).second)
      continue;
    producer->walk([&](ReadOp read) {
      found.push_back(read.getVariableAttr().getAttr());
    });
    llvm::append_range(pending, producer->getOperands());
  }
  return found;
}

} // namespace smp::passes
