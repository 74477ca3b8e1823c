// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/GraphExport.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace smp::ir {

/// Equal elements as one, others as they are.
static smp::Attribute toModel(DenseElementsAttr elements) {
  auto type = cast<RankedTensorType>(elements.getType());
  if (!elements.isSplat() || type.getNumElements() <= 1)
    return toHost(elements);
  auto scalar = RankedTensorType::get({}, type.getElementType());
  HostTensor one = toHost(elements.resizeSplat(scalar));
  return Splat{toModel(type), std::move(one.bytes)};
}

/// The attribute as plain data; nothing when it has no such form.
static std::optional<smp::Attribute> toModel(mlir::Attribute attribute) {
  using Result = std::optional<smp::Attribute>;
  auto word = [](StringRef text) { return Result(text.str()); };
  return llvm::TypeSwitch<mlir::Attribute, Result>(attribute)
      .Case<mlir::UnitAttr>([](auto) { return Result(int64_t(1)); })
      .Case<BoolAttr>([](BoolAttr a) { return Result(int64_t(a.getValue())); })
      .Case<IntegerAttr>([](IntegerAttr a) { return Result(a.getInt()); })
      .Case<FloatAttr>([](FloatAttr a) { return Result(a.getValueAsDouble()); })
      .Case<StringAttr>([&](StringAttr a) { return word(a.getValue()); })
      .Case<FlatSymbolRefAttr>([&](auto a) { return word(a.getValue()); })
      .Case<DenseI64ArrayAttr>([](DenseI64ArrayAttr a) {
        return Result(
            std::vector<int64_t>(a.asArrayRef().begin(), a.asArrayRef().end()));
      })
      .Case<DenseElementsAttr>([](auto a) { return Result(toModel(a)); })
      .Case<ReduceKindAttr>(
          [&](auto a) { return word(stringifyReduceKind(a.getValue())); })
      .Case<ScatterKindAttr>(
          [&](auto a) { return word(stringifyScatterKind(a.getValue())); })
      .Case<DirectionAttr>(
          [&](auto a) { return word(stringifyDirection(a.getValue())); })
      .Case<PadModeAttr>(
          [&](auto a) { return word(stringifyPadMode(a.getValue())); })
      .Case<LayoutAttr>(
          [&](auto a) { return word(stringifyLayout(a.getValue())); })
      .Default([](mlir::Attribute) { return Result(); });
}

static smp::Origin toModel(Origin origin) {
  switch (origin) {
  case Origin::User:
    return smp::Origin::User;
  case Origin::Propagated:
    return smp::Origin::Propagated;
  case Origin::Solver:
    return smp::Origin::Solver;
  }
  llvm_unreachable("every origin is one of these");
}

FailureOr<GraphOp> exportOp(Operation *op) {
  if (!isa<SmpDialect>(op->getDialect()))
    return op->emitOpError() << "is no op of the smp dialect";
  GraphOp result;
  result.name = getSourceName(op).str();
  result.mnemonic = op->getName().stripDialect().str();
  if (auto placement = getPlacement(op))
    result.placement = {int32_t(placement.getPartition()),
                        toModel(placement.getOrigin())};
  if (StringRef whole = getOriginName(op);
      result.name.empty() && !whole.empty())
    result.attributes.emplace("smp.part_of", whole.str());
  // Properties hold inherent attributes, defaults included.
  NamedAttrList attributes(op->getAttrDictionary());
  for (NamedAttribute attribute : attributes) {
    // An evaluator must know which ops are the update's.
    if (attribute.getName() == kUnitAttr && getUnit(op) != Unit::Forward) {
      result.attributes.emplace(kUnitAttr.str(),
                                stringifyUnit(getUnit(op)).str());
      continue;
    }
    if (llvm::is_contained({kPlacementAttr, kUnitAttr, kOriginAttr},
                           attribute.getName().getValue()))
      continue;
    auto value = toModel(attribute.getValue());
    if (!value)
      return op->emitOpError() << "has attribute " << attribute.getName()
                               << ", which a program cannot carry";
    result.attributes.emplace(attribute.getName().str(), std::move(*value));
  }
  return result;
}

/// Where the source has the constant. Folding makes constants without a place,
/// whose is that of the op that reads them.
static Location locate(ConstantOp op) {
  if (!isa<UnknownLoc>(op.getLoc()) || op.use_empty())
    return op.getLoc();
  return op->use_begin()->getOwner()->getLoc();
}

/// Bounds the bytes of all constants of a block, before any is copied.
static LogicalResult checkConstants(Block &block) {
  constexpr uint64_t kMaxConstantBytes = uint64_t(1) << 30;
  uint64_t total = 0;
  for (auto op : block.getOps<ConstantOp>()) {
    auto elements = dyn_cast<DenseElementsAttr>(op.getValue());
    if (!elements || elements.isSplat())
      continue;
    total += elements.getRawData().size();
    if (total > kMaxConstantBytes)
      return emitError(locate(op))
             << "a constant of type " << op.getType()
             << " brings the constants of the graph to " << total
             << " bytes, of at most " << kMaxConstantBytes
             << "; make it a variable";
  }
  return success();
}

FailureOr<Graph> exportGraph(Operation *function) {
  Graph graph;
  llvm::DenseMap<Value, uint32_t> numbers;
  auto addValue = [&](Value value) {
    uint32_t number = uint32_t(graph.values.size());
    numbers[value] = number;
    graph.values.push_back(
        {getValueName(value).str(), toModel(tensorOf(value))});
    return number;
  };
  Block &block = function->getRegion(0).front();
  if (failed(checkConstants(block)))
    return failure();
  for (BlockArgument argument : block.getArguments())
    graph.inputs.push_back(addValue(argument));
  for (Operation &op : block) {
    if (isa<ReturnOp>(op)) {
      for (Value value : op.getOperands())
        graph.outputs.push_back(numbers.at(value));
      break;
    }
    FailureOr<GraphOp> exported = exportOp(&op);
    if (failed(exported))
      return failure();
    for (Value operand : op.getOperands())
      exported->operands.push_back(numbers.at(operand));
    for (Value result : op.getResults())
      exported->results.push_back(addValue(result));
    graph.ops.push_back(std::move(*exported));
  }
  return graph;
}

} // namespace smp::ir
