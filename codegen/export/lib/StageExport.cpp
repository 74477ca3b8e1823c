// SPDX-License-Identifier: Apache-2.0
#include "StageExport.h"
#include "StageMemory.h"
#include "mlir/IR/Builders.h"
#include "smp/codegen/export/ModelData.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Role.h"
#include "smp/ir/Target.h"
#include "smp/ir/Tensors.h"
#include "smp/ir/Training.h"
#include "smp/model/Alignment.h"
#include "smp/passes/CostModel.h"

using namespace mlir;

namespace smp::codegen {

uint64_t ExportContext::addConstant(const HostTensor &tensor) {
  StringRef bytes(reinterpret_cast<const char *>(tensor.bytes.data()),
                  tensor.bytes.size());
  auto [found, isNew] = constantOffsets.try_emplace(bytes, constants.size());
  if (isNew) {
    constants.insert(constants.end(), tensor.bytes.begin(), tensor.bytes.end());
    constants.resize(alignUp(constants.size()));
  }
  return found->second;
}

namespace {
class StageExporter {
public:
  StageExporter(ir::StageOp op, ExportContext &context)
      : op(op), context(context) {}
  FailureOr<Stage> run();

private:
  LogicalResult bind(Operation &op);
  LogicalResult addLaunches(ir::GroupOp group);
  LogicalResult checkInPlace(ir::GroupOp group);
  std::pair<BufferRef, DType> resolve(ir::GroupOp group, const KernelPlan &plan,
                                      const KernelBuffer &buffer);
  void describeOps(ir::GroupOp group, const PlannedLaunch &planned,
                   Launch &launch);
  LogicalResult bindArena();
  LogicalResult bindResult(Value value, BufferRef buffer);
  BufferRef &refOf(Value value) { return buffers[ir::aliased(value)]; }

  ir::StageOp op;
  ExportContext &context;
  Stage stage;
  llvm::DenseMap<Value, BufferRef> buffers; ///< Of roots.
  /// By group: where what its launches hand to each other begins.
  llvm::DenseMap<Operation *, SmallVector<uint64_t>> temporaries;
  SmallVector<ir::GroupOp> groups; ///< In launch order.
};
} // namespace

LogicalResult StageExporter::bind(Operation &op) {
  if (auto read = dyn_cast<ir::ReadOp>(op)) {
    buffers[read.getValue()] = {Space::Variable,
                                context.variables.lookup(read.getVariable()), 0,
                                bytesOf(read.getValue())};
  } else if (auto prepared = dyn_cast<ir::PreparedOp>(op)) {
    auto key = std::pair(prepared.getStageAttr().getAttr(),
                         int64_t(prepared.getIndex()));
    buffers[prepared.getValue()] = {Space::Prepared,
                                    context.prepared.lookup(key), 0,
                                    bytesOf(prepared.getValue())};
  } else if (auto constant = dyn_cast<ir::ConstantOp>(op)) {
    HostTensor tensor =
        ir::toHost(cast<DenseElementsAttr>(constant.getValue()));
    buffers[constant.getResult()] = {
        Space::Constant, 0, context.addConstant(tensor), tensor.bytes.size()};
  } else if (auto group = dyn_cast<ir::GroupOp>(op)) {
    groups.push_back(group);
  } else if (!isa<ir::ReshapeOp, ir::ReturnOp, ir::AssignOp>(op)) {
    return op.emitOpError() << "is in no kernel group; run --smp-form-groups";
  }
  return success();
}

/// What only this stage sees.
LogicalResult StageExporter::bindArena() {
  auto placed = placedBuffers(op, context.kernels);
  if (failed(placed))
    return failure();
  stage.arenaBytes = arenaBytesOf(op);
  for (const auto &[value, buffer] : placed->results)
    buffers[value] = {Space::Arena, 0, buffer.offset, buffer.bytes};
  for (const auto &[group, places] : placed->temporaries)
    for (const LiveBuffer &place : places)
      temporaries[group].push_back(place.offset);
  return success();
}

/// What leaves the stage must be a result of a group, and of no other.
LogicalResult StageExporter::bindResult(Value value, BufferRef buffer) {
  Value root = ir::aliased(value);
  if (!root.getDefiningOp<ir::GroupOp>() ||
      !buffers.try_emplace(root, buffer).second)
    return op.emitOpError()
           << "has a result or an assigned value that no group "
              "writes for it alone; run "
              "--smp-materialize-results";
  return success();
}

/// Where a buffer of the group's launches is, and what it holds.
std::pair<BufferRef, DType> StageExporter::resolve(ir::GroupOp group,
                                                   const KernelPlan &plan,
                                                   const KernelBuffer &buffer) {
  if (buffer.kind == KernelBuffer::Kind::Temporary) {
    const TensorType &type = plan.temporaries[buffer.index];
    return {{Space::Arena, 0, temporaries[group][buffer.index],
             uint64_t(type.bytes())},
            type.dtype};
  }
  Value value = buffer.kind == KernelBuffer::Kind::Operand
                    ? group->getOperand(buffer.index)
                    : Value(group->getResult(buffer.index));
  return {refOf(value), ir::toModel(ir::tensorOf(value)).dtype};
}

/// Fails where a result has the memory of an operand and the group does not say
/// so: its kernel would count on their being apart.
LogicalResult StageExporter::checkInPlace(ir::GroupOp group) {
  ArrayRef<int64_t> pairs;
  if (auto marked = group->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr))
    pairs = marked.asArrayRef();
  for (OpOperand &operand : group->getOpOperands())
    for (OpResult result : group->getResults()) {
      const BufferRef &from = refOf(operand.get()), &to = refOf(result);
      if (from.space != Space::Variable || to.space != Space::Variable ||
          from.index != to.index)
        continue;
      bool isMarked = false;
      for (size_t i = 0; i + 1 < pairs.size(); i += 2)
        isMarked |= pairs[i] == operand.getOperandNumber() &&
                    pairs[i + 1] == result.getResultNumber();
      if (!isMarked)
        return group.emitOpError()
               << "writes result " << result.getResultNumber()
               << " where it reads operand " << operand.getOperandNumber()
               << "; run --smp-materialize-results";
    }
  return success();
}

LogicalResult StageExporter::addLaunches(ir::GroupOp group) {
  if (!needsLaunch(group))
    return success();
  if (failed(checkInPlace(group)))
    return failure();
  FailureOr<const PlannedGroup *> kernels = context.kernels.add(group);
  if (failed(kernels))
    return failure();
  const KernelPlan &plan = (*kernels)->plan;
  for (auto [i, planned] : llvm::enumerate(plan.launches)) {
    Launch launch;
    launch.kernel = (*kernels)->firstKernel + uint32_t(i);
    auto add = [&](ArrayRef<KernelBuffer> buffers) {
      for (const KernelBuffer &buffer : buffers) {
        auto [ref, dtype] = resolve(group, plan, buffer);
        launch.buffers.push_back(ref);
        launch.dtypes.push_back(dtype);
      }
    };
    add(planned.inputs);
    add(planned.outputs);
    describeOps(group, planned, launch);
    stage.launches.push_back(std::move(launch));
  }
  return success();
}

/// The line of a text that the op comes from; 0 when it comes from none.
static unsigned lineOf(Operation *op) {
  unsigned line = 0;
  op->getLoc()->walk([&](Location location) {
    auto file = dyn_cast<FileLineColLoc>(location);
    if (!file)
      return WalkResult::advance();
    line = file.getLine();
    return WalkResult::interrupt();
  });
  return line;
}

/// What people call the op: "dense", "mul of dense" for a part of it, "mul at
/// line 7" where the model's text gives no name, or just "mul".
static std::string nameOf(Operation *op) {
  if (StringRef name = ir::getSourceName(op); !name.empty())
    return name.str();
  const std::string mnemonic = op->getName().stripDialect().str();
  if (StringRef origin = ir::getOriginName(op); !origin.empty())
    return mnemonic + " of " + origin.str();
  const unsigned line = lineOf(op);
  return line ? mnemonic + " at line " + std::to_string(line) : mnemonic;
}

/// What reports about the launch need: names, and who makes what it gives; of
/// what one launch hands to the next nobody is said to be the maker.
void StageExporter::describeOps(ir::GroupOp group, const PlannedLaunch &planned,
                                Launch &launch) {
  Block &body = group.getBody().front();
  llvm::DenseMap<Operation *, uint32_t> numbers;
  for (Operation &op : body.without_terminator()) {
    numbers[&op] = uint32_t(launch.opNames.size());
    launch.opNames.push_back(nameOf(&op));
  }
  const bool givesResults =
      llvm::all_of(planned.outputs, [](const KernelBuffer &buffer) {
        return buffer.kind == KernelBuffer::Kind::Result;
      });
  for (const KernelBuffer &output : planned.outputs) {
    if (!givesResults)
      break;
    Value result = body.getTerminator()->getOperand(output.index);
    if (Operation *maker = result.getDefiningOp()) {
      launch.makers.push_back(numbers.lookup(maker));
      continue;
    }
    launch.makers.push_back(uint32_t(launch.opNames.size()));
    launch.opNames.push_back("copy");
  }
  // The update looks for gradients that are not finite.
  launch.mayOverflow =
      (stage.unit == Unit::BackwardInput ||
       stage.unit == Unit::BackwardWeight || stage.unit == Unit::Update) &&
      context.variables.contains(ir::kLossScale);
}

FailureOr<Stage> StageExporter::run() {
  stage.name = op.getSymName().str();
  stage.partition = uint32_t(op.getPartition());
  stage.unit = toModel(op.getUnit());
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments()) {
    stage.inputs.push_back(ir::toModel(ir::tensorOf(argument)));
    buffers[argument] = {Space::Input, argument.getArgNumber(), 0,
                         bytesOf(argument)};
  }
  for (Operation &inner : body)
    if (failed(bind(inner)))
      return failure();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    stage.outputs.push_back(ir::toModel(ir::tensorOf(value)));
    if (failed(
            bindResult(value, {Space::Output, uint32_t(i), 0, bytesOf(value)})))
      return failure();
  }
  for (auto assign : body.getOps<ir::AssignOp>())
    if (failed(bindResult(assign.getValue(),
                          {Space::Variable,
                           context.variables.lookup(assign.getVariable()), 0,
                           bytesOf(assign.getValue())})))
      return failure();
  stage.predictedSeconds = context.model.seconds(op.getBody());
  if (failed(bindArena()))
    return failure();
  for (ir::GroupOp group : groups)
    if (failed(addLaunches(group)))
      return failure();
  return stage;
}

FailureOr<Stage> exportStage(ir::StageOp stage, ExportContext &context) {
  return StageExporter(stage, context).run();
}

} // namespace smp::codegen
