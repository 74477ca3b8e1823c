// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/GroupFunction.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace smp::codegen {

static MemRefType memoryOf(Type type, Attribute space) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get({tensor.getNumElements()},
                         storageType(tensor.getElementType()),
                         MemRefLayoutAttrInterface(), space);
}

/// Buffers that overlap others: a variable that is written where it is read.
static llvm::SmallDenseSet<size_t> sharedBuffers(ir::GroupOp group) {
  llvm::SmallDenseSet<size_t> shared;
  if (auto pairs = group->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr))
    for (auto [i, number] : llvm::enumerate(pairs.asArrayRef()))
      shared.insert(size_t(number) + (i % 2 ? group->getNumOperands() : 0));
  return shared;
}

static func::FuncOp declare(ModuleOp module, ir::GroupOp group,
                            StringRef symbol, Attribute space,
                            TypeRange besides) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types;
  for (Type type : group.getOperandTypes())
    types.push_back(memoryOf(type, space));
  for (Type type : group.getResultTypes())
    types.push_back(memoryOf(type, space));
  const size_t numBuffers = types.size();
  llvm::append_range(types, besides);
  auto function = func::FuncOp::create(builder, group.getLoc(), symbol,
                                       builder.getFunctionType(types, {}));
  function->setAttr(kKernelAttr,
                    builder.getI64IntegerAttr(int64_t(numBuffers)));
  const llvm::SmallDenseSet<size_t> shared = sharedBuffers(group);
  for (auto [i, type] : llvm::enumerate(types))
    if (!shared.contains(i) && !type.isIndex())
      function.setArgAttr(unsigned(i), LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
  function.addEntryBlock();
  return function;
}

GroupFunction::GroupFunction(ModuleOp module, ir::GroupOp group,
                             StringRef symbol, int64_t lanes, Attribute space,
                             TypeRange besides)
    : group(group), builder(module.getContext()),
      emitter(builder, group.getLoc(), lanes),
      function(declare(module, group, symbol, space, besides)) {
  builder.setInsertionPointToStart(&function.front());
  auto end = func::ReturnOp::create(builder, group.getLoc());
  builder.setInsertionPoint(end);
  for (auto [i, argument] : llvm::enumerate(group.getBody().getArguments()))
    emitter.bind(argument, function.getArgument(unsigned(i)));
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
Value GroupFunction::resultMemory(unsigned i) const {
  return function.getArgument(ir::GroupOp(group)->getNumOperands() + i);
}
Value GroupFunction::inputMemory(unsigned i) const {
  return function.getArgument(i);
}
Value GroupFunction::besides(unsigned i) const {
  ir::GroupOp op = group;
  return function.getArgument(op->getNumOperands() + op->getNumResults() + i);
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
    for (Type type : op.getResultTypes())
      visit(type);
  return bits;
}

} // namespace smp::codegen
