// SPDX-License-Identifier: Apache-2.0
#include "smp/codegen/cpu/KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/model/Alignment.h"

using namespace mlir;

namespace smp::codegen::cpu {

/// Larger than any scratch; the memory behind it is what the launch asks for.
static constexpr int64_t kScratchExtent = int64_t(1) << 40;

/// Scratch, the fault record, and three coordinates.
static SmallVector<Type> besidesBuffers(MLIRContext *context) {
  Builder b(context);
  SmallVector<Type> types{MemRefType::get({kScratchExtent}, b.getI8Type()),
                          MemRefType::get({3}, b.getI64Type())};
  types.append(3, b.getIndexType());
  return types;
}

KernelFunction::KernelFunction(ModuleOp module, ir::GroupOp group,
                               StringRef symbol, const Level &level,
                               int64_t lanes)
    : GroupFunction(module, group, buffersOf(group), symbol, lanes,
                    /*space=*/{}, besidesBuffers(module.getContext())),
      level(level) {
  emitter.setFault([this](Value index, Value bound, int64_t op) {
    reportFault(index, bound, op);
  });
}

/// smp_kernel_fault: index, bound, then code and op in one word.
void KernelFunction::reportFault(Value index, Value bound, int64_t op) {
  Value record = arith::ConstantIntOp::create(
      builder, emitter.location, builder.getI64Type(), 1 | op << 32);
  const Value words[] = {index, bound, record};
  for (int64_t slot = 0; slot < 3; ++slot)
    memref::StoreOp::create(builder, emitter.location, words[slot], besides(1),
                            emitter.indexConstant(slot));
}

Index KernelFunction::tile(unsigned dim, int64_t count) {
  launch.grid[dim] = uint32_t(count);
  return emitter.space.add(besides(2 + dim), 0, count - 1);
}

Value KernelFunction::scratch(Type element, int64_t count) {
  uint64_t offset = launch.scratchBytes;
  uint64_t bytes = uint64_t(count) * element.getIntOrFloatBitWidth() / 8;
  launch.scratchBytes += alignUp(bytes);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  Value at =
      arith::ConstantIndexOp::create(builder, group.getLoc(), int64_t(offset));
  return memref::ViewOp::create(builder, group.getLoc(),
                                MemRefType::get({count}, element), besides(0),
                                at, ValueRange());
}

} // namespace smp::codegen::cpu
