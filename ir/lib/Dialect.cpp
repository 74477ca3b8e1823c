// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/Costs.h"
#include "smp/ir/Names.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Smp.h"
#include "smp/ir/Target.h"
#include "smp/model/Config.h"
#include <limits>

using namespace mlir;
using namespace smp::ir;

#include "smp/ir/SmpDialect.cpp.inc"
#include "smp/ir/SmpInterfaces.cpp.inc"

void SmpDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "smp/ir/SmpOps.cpp.inc"
      >();
}

Operation *SmpDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                           Type type, Location loc) {
  if (auto elements = dyn_cast<ElementsAttr>(value))
    return ConstantOp::create(builder, loc, type, elements);
  return nullptr;
}

static bool isNames(Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  return list && llvm::all_of(list, llvm::IsaPred<StringAttr>);
}

static LogicalResult verifyTargets(Operation *op, Attribute attribute) {
  auto list = dyn_cast<ArrayAttr>(attribute);
  if (!list || list.empty() || !llvm::all_of(list, llvm::IsaPred<TargetAttr>))
    return op->emitOpError() << kTargetsAttr << " is " << attribute
                             << "; write [#smp.target<\"cpu\">]";
  auto count = op->getAttrOfType<IntegerAttr>(kPartitionsAttr);
  const int64_t partitions = count ? count.getInt() : 1;
  if (list.size() > 1 && int64_t(list.size()) != partitions)
    return op->emitOpError()
           << "has " << list.size() << " targets for " << partitions
           << " partitions (smp.partitions); give one for all, or one for "
              "each";
  if (list.size() > 1 && isa<ModuleOp>(op))
    for (auto stage : cast<ModuleOp>(op).getOps<StageOp>())
      if (IntegerAttr partition = stage.getPartitionAttr(); // Not yet verified.
          partition &&
          (partition.getInt() < 0 || partition.getInt() >= partitions))
        return stage.emitOpError() << "is on partition " << partition.getInt()
                                   << " of " << partitions;
  return success();
}

static LogicalResult verifyPlacement(Operation *op, Attribute attribute) {
  auto placement = dyn_cast<PlacementAttr>(attribute);
  if (!placement)
    return op->emitOpError() << kPlacementAttr << " is " << attribute
                             << "; write #smp.placement<0, user>";
  if (!placement.isAll() && (placement.getPartition() < 0 ||
                             placement.getPartition() >= smp::kMostPartitions))
    return op->emitOpError()
           << kPlacementAttr << " names partition " << placement.getPartition()
           << "; it must be in 0.." << smp::kMostPartitions - 1;
  return success();
}

static LogicalResult verifyOrigin(Operation *op, Attribute attribute) {
  constexpr int64_t kMost = std::numeric_limits<uint32_t>::max();
  auto origin = dyn_cast<IntegerAttr>(attribute);
  if (origin && origin.getType().isSignlessInteger(64) &&
      origin.getInt() >= 0 && origin.getInt() <= kMost)
    return success();
  return op->emitOpError() << kOriginAttr << " is " << attribute
                           << "; it must be an integer, an i64 in 0.." << kMost;
}

LogicalResult SmpDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kPlacementAttr)
    return verifyPlacement(op, attribute.getValue());
  if (attribute.getName() == kUnitAttr &&
      !isa<ir::UnitAttr>(attribute.getValue()))
    return op->emitOpError() << kUnitAttr << " is " << attribute.getValue()
                             << "; write #smp.unit<backward_input>";
  if (attribute.getName() == kOriginAttr)
    return verifyOrigin(op, attribute.getValue());
  if (attribute.getName() == kLossAttr &&
      !isa<StringAttr>(attribute.getValue()))
    return op->emitOpError() << kLossAttr << " is " << attribute.getValue()
                             << "; it must be the name of a result";
  if (attribute.getName() == kDifferentiateAttr &&
      !isNames(attribute.getValue()))
    return op->emitOpError()
           << kDifferentiateAttr << " is " << attribute.getValue()
           << "; it must be a list of variables' names";
  if (attribute.getName() == kRemovedNamesAttr &&
      !isNames(attribute.getValue()))
    return op->emitOpError()
           << kRemovedNamesAttr << " is " << attribute.getValue()
           << "; it must be a list of names";
  if (llvm::is_contained({kOffsetsAttr, kTemporaryOffsetsAttr, kInPlaceAttr},
                         attribute.getName().getValue()) &&
      !isa<DenseI64ArrayAttr>(attribute.getValue()))
    return op->emitOpError()
           << attribute.getName().getValue() << " is " << attribute.getValue()
           << "; write array<i64: 0, -1>";
  if (attribute.getName() == kArenaBytesAttr) {
    auto bytes = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!bytes || !bytes.getType().isInteger(64) ||
        bytes.getType().isUnsignedInteger() || bytes.getInt() < 0)
      return op->emitOpError()
             << kArenaBytesAttr << " is " << attribute.getValue()
             << "; it must be an i64 of 0 at least";
  }
  if (llvm::is_contained({kSecondsAttr, kWeightAttr},
                         attribute.getName().getValue())) {
    auto amount = dyn_cast<FloatAttr>(attribute.getValue());
    if (!amount || !amount.getType().isF64() || !amount.getValue().isFinite() ||
        amount.getValue().isNegative())
      return op->emitOpError()
             << attribute.getName().getValue() << " is " << attribute.getValue()
             << "; it must be a finite f64 of 0 at least";
  }
  if (attribute.getName() == kTargetsAttr)
    return verifyTargets(op, attribute.getValue());
  if (attribute.getName() == kPartitionsAttr) {
    auto count = dyn_cast<IntegerAttr>(attribute.getValue());
    if (!count || !count.getType().isSignlessInteger(64) ||
        count.getInt() < 1 || count.getInt() > kMostPartitions)
      return op->emitOpError()
             << kPartitionsAttr << " is " << attribute.getValue()
             << "; it must be >= 1 and <= " << kMostPartitions;
  }
  return success();
}

double smp::ir::defaultFlops(Operation *op) {
  double elements = 0;
  for (Type type : op->getResultTypes())
    elements += double(cast<ShapedType>(type).getNumElements());
  return elements;
}
