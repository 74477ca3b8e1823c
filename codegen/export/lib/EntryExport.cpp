// SPDX-License-Identifier: Apache-2.0
#include "EntryExport.h"
#include "smp/codegen/export/ModelData.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Taps.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace smp::codegen {

static EntryTensor signatureItem(Type type, DictionaryAttr attributes) {
  EntryTensor item;
  item.name = attributes.getAs<StringAttr>(ir::kNameAttr).str();
  item.type = ir::toModel(cast<RankedTensorType>(type));
  if (auto axis = attributes.getAs<IntegerAttr>(ir::kBatchAxisAttr))
    item.batchAxis = int32_t(axis.getInt());
  if (attributes.contains(ir::kIsMicrobatchAttr))
    item.source = TensorSource::Microbatch;
  return item;
}

/// Passes add results to entries that are steps.
static void exportJoin(ir::JoinAttr join, EntryTensor &output) {
  output.join = Join::Each;
  if (!join)
    return;
  switch (join.getKind()) {
  case ir::JoinKind::Each:
    break;
  case ir::JoinKind::Concat:
    output.join = Join::Concat;
    break;
  case ir::JoinKind::Same:
    output.join = Join::Same;
    break;
  case ir::JoinKind::Sum:
    output.join = Join::Sum;
    break;
  case ir::JoinKind::Mean:
    output.join = Join::Mean;
    break;
  case ir::JoinKind::Mixed:
    output.join = Join::Mixed;
    output.mixing = join.getReason().str();
    break;
  case ir::JoinKind::Stack:
    llvm_unreachable("smp-infer-joins leaves no stack");
  }
}

/// The value that a transfer moves.
static Value sourceOf(Value value) {
  while (auto transfer = value.getDefiningOp<ir::TransferOp>())
    value = transfer.getInput();
  return value;
}

/// What the entry's last results show.
static std::vector<Tap> exportTaps(ir::EntryOp op) {
  std::vector<Tap> taps;
  for (unsigned i = 0; i < op.getNumResults(); ++i) {
    auto kind = op.getResultAttrOfType<ir::TapKindAttr>(i, ir::kTapAttr);
    if (!kind)
      continue;
    Tap &tap = taps.emplace_back();
    tap.kind = TapKind(kind.getValue());
    tap.role =
        TapRole(op.getResultAttrOfType<ir::TapRoleAttr>(i, ir::kTapRoleAttr)
                    .getValue());
    tap.type = ir::toModel(cast<RankedTensorType>(
        op.getResultAttrOfType<TypeAttr>(i, ir::kTapTypeAttr).getValue()));
    StringRef name =
        op.getResultAttrOfType<StringAttr>(i, ir::kNameAttr).getValue();
    name.consume_front(outputPrefix(tap.kind));
    tap.name = name.str();
  }
  return taps;
}

FailureOr<Entry>
exportEntry(ir::EntryOp op, Graph graph,
            const llvm::DenseMap<StringAttr, uint32_t> &stageNumbers,
            const llvm::StringMap<uint32_t> &entryNumbers) {
  Entry entry;
  entry.name = op.getSymName().str();
  entry.mode = toModel(op.getMode());
  entry.graph = std::move(graph);
  if (auto of = op->getAttrOfType<FlatSymbolRefAttr>(ir::kTwinOfAttr))
    entry.twin = Twin{entryNumbers.lookup(of.getValue()), exportTaps(op)};
  for (auto [i, type] : llvm::enumerate(op.getArgumentTypes()))
    entry.inputs.push_back(signatureItem(type, op.getArgAttrDict(i)));
  for (auto [i, type] : llvm::enumerate(op.getResultTypes()))
    exportJoin(op.getResultAttrDict(i).getAs<ir::JoinAttr>(ir::kJoinAttr),
               entry.outputs.emplace_back(
                   signatureItem(type, op.getResultAttrDict(i))));

  if (auto count = op->getAttrOfType<IntegerAttr>(ir::kMicrobatchesAttr))
    entry.microbatches = uint32_t(count.getInt());

  llvm::MapVector<Value, Edge> edges;
  auto produce = [&](Value value, int32_t stage, uint32_t index) {
    edges[value] = {ir::toModel(ir::tensorOf(value)), {stage, index}, {}};
  };
  auto consume = [&](Value value, int32_t stage, uint32_t index) {
    edges[sourceOf(value)].to.push_back({stage, index});
  };
  Block &body = op.getBody().front();
  for (BlockArgument argument : body.getArguments())
    produce(argument, Edge::kCaller, argument.getArgNumber());
  for (Operation &inner : body) {
    if (auto run = dyn_cast<ir::RunOp>(inner)) {
      auto position = int32_t(entry.stages.size());
      entry.stages.push_back(stageNumbers.at(run.getStageAttr().getAttr()));
      for (auto [i, value] : llvm::enumerate(run.getInputs()))
        consume(value, position, uint32_t(i));
      for (auto [i, value] : llvm::enumerate(run.getOutputs()))
        produce(value, position, uint32_t(i));
    } else if (isa<ir::ReturnOp>(inner)) {
      for (auto [i, value] : llvm::enumerate(inner.getOperands()))
        consume(value, Edge::kCaller, uint32_t(i));
    } else if (!isa<ir::TransferOp>(inner)) {
      return inner.emitOpError() << "is in no stage; run --smp-outline-stages";
    }
  }
  for (auto &[value, edge] : edges)
    if (!edge.to.empty())
      entry.edges.push_back(std::move(edge));
  return entry;
}

void predictTransfers(const Program &program, Entry &entry,
                      const passes::CostModel &model) {
  auto partitionAt = [&](const Edge::End &end) {
    return program.stages[entry.stages[size_t(end.stage)]].partition;
  };
  for (Edge &edge : entry.edges) {
    auto isElsewhere = [&](const Edge::End &end) {
      return edge.from.stage != Edge::kCaller && end.stage != Edge::kCaller &&
             partitionAt(end) != partitionAt(edge.from);
    };
    if (llvm::any_of(edge.to, isElsewhere))
      edge.transferSeconds = model.transferSeconds(edge.type.bytes());
  }
}

/// In the order of the table, if it has the entry, else of the pipeline.
static FailureOr<Schedule> makeSchedule(ir::EntryOp op, Entry &entry,
                                        const PipelineShape &pipeline,
                                        const ScheduleOptions &choice,
                                        const ExportOptions &options) {
  if (!options.table.has(entry.name)) {
    entry.schedule = toString(options.pipeline.kind);
    return trainingSchedule(options.pipeline, pipeline, choice);
  }
  entry.schedule = "table";
  Expected<Schedule> given =
      options.table.scheduleOf(entry.name, pipeline, choice.microbatches);
  if (given.ok())
    return given.take();
  return op.emitError() << "the schedule that is given for entry '"
                        << entry.name << "' cannot be run: " << given.error();
}

LogicalResult scheduleEntry(ir::EntryOp op, const Program &program,
                            Entry &entry, const ExportOptions &options) {
  PipelineShape pipeline = pipelineShape(program, entry);
  ScheduleOptions choice;
  choice.stageCosts = predictedStageCosts(program, entry);
  choice.channelCosts = predictedChannelCosts(program, entry);
  if (entry.microbatches == 0) {
    planForwardOnly(pipeline, choice.stageCosts, choice.channelCosts);
    setForwardOrder(entry, pipeline);
    return success();
  }
  choice.microbatches = entry.microbatches;
  FailureOr<Schedule> schedule =
      makeSchedule(op, entry, pipeline, choice, options);
  if (failed(schedule))
    return failure();
  setEdgeDepths(entry, channelDepths(pipeline, *schedule, choice.stageCosts,
                                     choice.channelCosts));
  entry.actions = std::move(schedule->actions);
  return success();
}

} // namespace smp::codegen
