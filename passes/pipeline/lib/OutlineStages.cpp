// SPDX-License-Identifier: Apache-2.0
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "smp/ir/Placement.h"
#include "smp/passes/Colocation.h"
#include "smp/passes/pipeline/EntryFlow.h"
#include "smp/passes/pipeline/Passes.h"
#include "smp/passes/pipeline/StageSources.h"
#include "smp/passes/planning/StageGraph.h"

using namespace mlir;
using namespace smp::ir;

namespace smp::passes {
#define GEN_PASS_DEF_OUTLINESTAGESPASS
#include "smp/passes/pipeline/Passes.h.inc"

namespace {

/// Turns the stages of one entry into functions.
class Outliner {
public:
  Outliner(EntryOp entry, SymbolTable &symbols)
      : entry(entry), body(entry.getBody().front()), symbols(symbols),
        sources(entry), runs(entry), insertAfter(entry) {
    runs.setInsertionPoint(body.getTerminator());
  }

  LogicalResult run() {
    // All that reads a variable comes before what assigns it.
    for (AssignOp assign : llvm::to_vector(body.getOps<AssignOp>()))
      assign->moveBefore(body.getTerminator());
    const EntryFlow flow = flowOf(entry);
    const StagePlans plans = planStages(flow.graph, stageSources(flow.graph));
    if (plans.lateWrite)
      return refuseLate(cast<AssignOp>(flow.ops[*plans.lateWrite]));
    for (auto [index, stage] : llvm::enumerate(plans.stages)) {
      SmallVector<Operation *> ops;
      for (uint32_t op : stage.ops)
        ops.push_back(flow.ops[op]);
      outline(stage.partition, ops, index);
    }
    for (OpOperand &operand : body.getTerminator()->getOpOperands())
      operand.set(outside.lookupOrDefault(operand.get()));
    for (Operation *op : llvm::reverse(flow.ops))
      op->erase();
    return success();
  }

private:
  static LogicalResult refuseLate(AssignOp assign) {
    return assign.emitOpError()
           << "gives '" << assign.getVariable()
           << "' a value for the next microbatch that waits, on another "
              "partition or for a gradient, for what reads it";
  }

  void outline(uint32_t partition, ArrayRef<Operation *> ops, size_t index) {
    llvm::SmallPtrSet<Operation *, 16> members(ops.begin(), ops.end());
    llvm::SetVector<Value> inputs, outputs;
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (Operation *producer = operand.getDefiningOp();
            !producer ||
            (!members.contains(producer) && !sources.contains(producer)))
          inputs.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !members.contains(user);
            }))
          outputs.insert(result);
    }
    StageOp stage = makeStage(partition, ops, index, inputs, outputs);
    callStage(stage, inputs, outputs);
  }

  StageOp makeStage(uint32_t partition, ArrayRef<Operation *> ops, size_t index,
                    const llvm::SetVector<Value> &inputs,
                    const llvm::SetVector<Value> &outputs) {
    OpBuilder builder(entry);
    builder.setInsertionPointAfter(insertAfter);
    auto type =
        builder.getFunctionType(ValueRange(inputs.getArrayRef()).getTypes(),
                                ValueRange(outputs.getArrayRef()).getTypes());
    std::string name = (entry.getSymName() + "_" + std::to_string(index)).str();
    auto stage = StageOp::create(builder, entry.getLoc(), name, type,
                                 /*arg_attrs=*/nullptr, /*res_attrs=*/nullptr,
                                 partition, getPhase(ops.front()));
    // A name that is taken gets a number.
    symbols.insert(stage);
    insertAfter = stage;
    SmallVector<Location> locations;
    for (Value input : inputs)
      locations.push_back(input.getLoc());
    Block *block =
        builder.createBlock(&stage.getBody(), {}, type.getInputs(), locations);
    IRMapping inside;
    inside.map(inputs.getArrayRef(), block->getArguments());
    for (Operation *op : ops)
      cloneWithSources(builder, op, inside);
    SmallVector<Value> results;
    for (Value output : outputs)
      results.push_back(inside.lookup(output));
    ReturnOp::create(builder, entry.getLoc(), results);
    return stage;
  }

  static void cloneWithSources(OpBuilder &builder, Operation *op,
                               IRMapping &inside) {
    for (Value operand : op->getOperands())
      if (!inside.contains(operand))
        builder.clone(*operand.getDefiningOp(), inside);
    builder.clone(*op, inside);
  }

  /// Runs the stage in the entry, and sends its results on.
  void callStage(StageOp stage, const llvm::SetVector<Value> &inputs,
                 const llvm::SetVector<Value> &outputs) {
    SmallVector<Value> operands;
    for (Value input : inputs)
      operands.push_back(outside.lookupOrDefault(input));
    auto run = RunOp::create(runs, entry.getLoc(), stage.getResultTypes(),
                             stage.getSymName(), operands);
    for (auto [output, result] : llvm::zip(outputs, run.getOutputs())) {
      outside.map(output, result);
      for (Operation *user : output.getUsers())
        if (isa<TransferOp>(user))
          runs.clone(*user, outside);
    }
  }

  EntryOp entry;
  Block &body;
  SymbolTable &symbols;
  const StageSources sources;
  OpBuilder runs;         ///< At the end of the entry.
  Operation *insertAfter; ///< The entry, or its last stage so far.
  IRMapping outside;      ///< What replaces a value in the entry.
};

struct OutlineStages : impl::OutlineStagesPassBase<OutlineStages> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    SmallVector<EntryOp> entries(module.getOps<EntryOp>());
    for (EntryOp entry : entries)
      if (failed(check(entry)))
        return signalPassFailure();
    for (EntryOp entry : entries)
      if (failed(Outliner(entry, symbols).run()))
        return signalPassFailure();
  }

private:
  static LogicalResult refuse(InFlightDiagnostic error) {
    error.attachNote() << "run --smp-insert-transfers first";
    return failure();
  }

  /// That every op is on one partition, with all that it uses.
  static LogicalResult check(EntryOp entry) {
    for (Operation &op : entry.getBody().front().without_terminator()) {
      if (isa<RunOp>(op))
        return op.emitOpError("is in stages already");
      PlacementAttr placement = getPlacement(&op);
      if (!placement || placement.isAll())
        return refuse(op.emitOpError("is not on one partition"));
      if (isa<TransferOp>(op) &&
          isa_and_nonnull<TransferOp>(op.getOperand(0).getDefiningOp()))
        return op.emitOpError("transfers what was transferred already");
      if (!isa<TransferOp>(op) &&
          llvm::any_of(op.getOperands(), [&](Value operand) {
            Operation *producer = operand.getDefiningOp();
            return producer && getPlacement(producer).getPartition() !=
                                   placement.getPartition();
          }))
        return refuse(op.emitOpError()
                      << "is on partition " << placement.getPartition()
                      << " but uses a value on another");
    }
    return success();
  }
};

} // namespace
} // namespace smp::passes
