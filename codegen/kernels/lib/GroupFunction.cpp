// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/GroupFunction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace smp::codegen {

SmallVector<GroupBuffer> buffersOf(ir::GroupOp group) {
  SmallVector<GroupBuffer> buffers;
  llvm::append_range(buffers, group.getBody().getArguments());
  llvm::append_range(buffers, group->getResults());
  return buffers;
}

static Type tensorTypeOf(GroupBuffer buffer) {
  auto tensor = dyn_cast<Value>(buffer);
  return tensor ? tensor.getType() : cast<Type>(buffer);
}

static MemRefType memoryType(GroupBuffer buffer, Attribute space) {
  auto tensor = cast<RankedTensorType>(tensorTypeOf(buffer));
  return MemRefType::get({tensor.getNumElements()},
                         storageType(tensor.getElementType()),
                         MemRefLayoutAttrInterface(), space);
}

/// Buffers that overlap others: a variable that is written where it is read.
static llvm::DenseSet<Value> sharedTensors(ir::GroupOp group) {
  llvm::DenseSet<Value> shared;
  if (auto pairs = group->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr))
    for (auto [i, number] : llvm::enumerate(pairs.asArrayRef()))
      shared.insert(i % 2 ? Value(group->getResult(unsigned(number)))
                          : group.getBody().getArgument(unsigned(number)));
  return shared;
}

static func::FuncOp declare(ModuleOp module, ir::GroupOp group,
                            ArrayRef<GroupBuffer> buffers, StringRef symbol,
                            Attribute space, TypeRange besides) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types;
  for (GroupBuffer buffer : buffers)
    types.push_back(memoryType(buffer, space));
  llvm::append_range(types, besides);
  auto function = func::FuncOp::create(builder, group.getLoc(), symbol,
                                       builder.getFunctionType(types, {}));
  function->setAttr(kKernelAttr,
                    builder.getI64IntegerAttr(int64_t(buffers.size())));
  const llvm::DenseSet<Value> shared = sharedTensors(group);
  auto isShared = [&](size_t i) {
    return i < buffers.size() && isa<Value>(buffers[i]) &&
           shared.contains(cast<Value>(buffers[i]));
  };
  for (auto [i, type] : llvm::enumerate(types))
    if (!isShared(i) && !type.isIndex())
      function.setArgAttr(unsigned(i), LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
  function.addEntryBlock();
  return function;
}

GroupFunction::GroupFunction(ModuleOp module, ir::GroupOp group,
                             ArrayRef<GroupBuffer> buffers, StringRef symbol,
                             int64_t lanes, Attribute space, TypeRange besides)
    : group(group), builder(module.getContext()),
      emitter(builder, group.getLoc(), lanes),
      function(declare(module, group, buffers, symbol, space, besides)),
      buffers(buffers) {
  builder.setInsertionPointToStart(&function.front());
  auto end = func::ReturnOp::create(builder, group.getLoc());
  builder.setInsertionPoint(end);
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (auto input =
            dyn_cast_if_present<BlockArgument>(dyn_cast<Value>(buffer)))
      emitter.bind(input, bufferMemory(unsigned(i)));
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front())
    ops.push_back(&op);
  emitter.setOpNumbers(ops);
}

Value GroupFunction::result(unsigned i) const {
  return ir::GroupOp(group).getBody().front().getTerminator()->getOperand(i);
}
unsigned GroupFunction::numResults() const {
  return ir::GroupOp(group)->getNumResults();
}
Value GroupFunction::bufferMemory(unsigned i) const {
  return function.getArgument(i);
}
Value GroupFunction::memoryOf(Value tensor) const {
  const auto *found = llvm::find(buffers, GroupBuffer(tensor));
  assert(found != buffers.end() && "the kernel has no such buffer");
  return bufferMemory(unsigned(found - buffers.begin()));
}
Value GroupFunction::resultMemory(unsigned i) const {
  return memoryOf(ir::GroupOp(group)->getResult(i));
}
Value GroupFunction::inputMemory(unsigned i) const {
  return memoryOf(ir::GroupOp(group).getBody().getArgument(i));
}
Value GroupFunction::besides(unsigned i) const {
  return function.getArgument(unsigned(buffers.size()) + i);
}

void GroupFunction::storeResult(unsigned i, Value value,
                                const Position &position) {
  auto type = ir::tensorOf(group->getResult(i));
  emitter.store(value, resultMemory(i), type.getElementType(),
                linearize(position, type.getShape()));
}

int64_t widestElementBits(ir::GroupOp group, int64_t least) {
  int64_t bits = least;
  auto visit = [&](Type type) {
    Type element = computeType(cast<RankedTensorType>(type).getElementType());
    bits = std::max<int64_t>(bits, element.getIntOrFloatBitWidth());
  };
  for (Operation &op : group.getBody().front())
    if (!isa<ir::StatisticsOp>(op)) // They are computed beside the elements.
      for (Type type : op.getResultTypes())
        visit(type);
  return bits;
}

} // namespace smp::codegen
