// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/ir/Placement.h"
#include "smp/ir/Tensors.h"
#include "smp/model/Alignment.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Larger than any scratch; the memory behind it is what the launch asks for.
static constexpr int64_t kScratchExtent = int64_t(1) << 40;

static MemRefType memoryOf(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return MemRefType::get({tensor.getNumElements()},
                         storageType(tensor.getElementType()));
}

func::FuncOp KernelFunction::declare(ModuleOp module, ir::GroupOp group,
                                     StringRef symbol) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> types;
  for (Type type : group.getOperandTypes())
    types.push_back(memoryOf(type));
  for (Type type : group.getResultTypes())
    types.push_back(memoryOf(type));
  size_t numBuffers = types.size();
  types.push_back(MemRefType::get({kScratchExtent}, builder.getI8Type()));
  types.push_back(MemRefType::get({3}, builder.getI64Type()));
  types.append(3, builder.getIndexType());
  auto function = func::FuncOp::create(builder, group.getLoc(), symbol,
                                       builder.getFunctionType(types, {}));
  function->setAttr(kKernelAttr,
                    builder.getI64IntegerAttr(int64_t(numBuffers)));
  // No output overlaps another buffer, but for a variable that is written where
  // it is read.
  llvm::SmallDenseSet<size_t> shared;
  if (auto pairs = group->getAttrOfType<DenseI64ArrayAttr>(ir::kInPlaceAttr))
    for (auto [i, number] : llvm::enumerate(pairs.asArrayRef()))
      shared.insert(size_t(number) + (i % 2 ? group->getNumOperands() : 0));
  for (size_t i = 0; i < numBuffers + 2; ++i)
    if (!shared.contains(i))
      function.setArgAttr(i, LLVM::LLVMDialect::getNoAliasAttrName(),
                          builder.getUnitAttr());
  function.addEntryBlock();
  return function;
}

KernelFunction::KernelFunction(ModuleOp module, ir::GroupOp group,
                               StringRef symbol, const Level &level,
                               int64_t lanes)
    : group(group), level(level), builder(module.getContext()),
      emitter(builder, group.getLoc(), lanes),
      function(declare(module, group, symbol)) {
  builder.setInsertionPointToStart(&function.front());
  auto end = func::ReturnOp::create(builder, group.getLoc());
  builder.setInsertionPoint(end);
  for (auto [i, argument] : llvm::enumerate(group.getBody().getArguments()))
    emitter.bind(argument, function.getArgument(i));
  unsigned numBuffers = group.getNumOperands() + group.getNumResults();
  emitter.setFault(function.getArgument(numBuffers + 1));
  SmallVector<Operation *> ops;
  for (Operation &op : group.getBody().front())
    ops.push_back(&op);
  emitter.setOpNumbers(ops);
}

Value KernelFunction::result(unsigned i) const {
  return ir::GroupOp(group).getBody().front().getTerminator()->getOperand(i);
}
unsigned KernelFunction::numResults() const {
  return ir::GroupOp(group)->getNumResults();
}
Value KernelFunction::resultMemory(unsigned i) const {
  return func::FuncOp(function).getArgument(
      ir::GroupOp(group)->getNumOperands() + i);
}
Value KernelFunction::inputMemory(unsigned i) const {
  return func::FuncOp(function).getArgument(i);
}

Index KernelFunction::tile(unsigned dim, int64_t count) {
  launch.grid[dim] = uint32_t(count);
  unsigned numBuffers = group->getNumOperands() + group->getNumResults();
  return emitter.space.add(function.getArgument(numBuffers + 2 + dim), 0,
                           count - 1);
}

Value KernelFunction::scratch(Type element, int64_t count) {
  unsigned numBuffers = group->getNumOperands() + group->getNumResults();
  uint64_t offset = launch.scratchBytes;
  uint64_t bytes = uint64_t(count) * element.getIntOrFloatBitWidth() / 8;
  launch.scratchBytes += alignUp(bytes);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  Value at =
      arith::ConstantIndexOp::create(builder, group.getLoc(), int64_t(offset));
  return memref::ViewOp::create(
      builder, group.getLoc(), MemRefType::get({count}, element),
      function.getArgument(numBuffers), at, ValueRange());
}

void KernelFunction::storeResult(unsigned i, Value value,
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

} // namespace smp::codegen::cpu
