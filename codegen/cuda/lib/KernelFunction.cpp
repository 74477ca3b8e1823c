// SPDX-License-Identifier: Apache-2.0
#include "KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "smp/codegen/MathLibrary.h"
#include "smp/ir/ModelTypes.h"
#include "smp/ir/Tensors.h"
#include "smp/model/CudaKernelAbi.h"
#include <numeric>

using namespace mlir;

namespace smp::codegen::cuda {

/// The address space of what every thread of a launch can reach.
static constexpr unsigned kGlobal = 1;

static mlir::Attribute globalMemory(MLIRContext *context) {
  return IntegerAttr::get(IntegerType::get(context, 64), kGlobal);
}

/// Fault records and workspace.
static SmallVector<Type> besidesBuffers(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context, kGlobal);
  return {pointer, pointer};
}

/// LLVM reads whole chunks of memory that is aligned, also where a part of them
/// is not asked for: so of a buffer's alignment it is told no more than what
/// divides its size, and stays inside.
static int64_t usableAlignment(MemRefType buffer) {
  const int64_t bytes =
      buffer.getNumElements() * buffer.getElementTypeBitWidth() / 8;
  return std::gcd(int64_t(SMP_CUDA_BUFFER_ALIGNMENT), bytes);
}

static SmallVector<KernelBuffer> buffersOf(const PlannedLaunch &launch) {
  SmallVector<KernelBuffer> buffers(launch.inputs);
  llvm::append_range(buffers, launch.outputs);
  return buffers;
}

static SmallVector<GroupBuffer>
buffersOf(ir::GroupOp group, const KernelPlan &plan, unsigned part) {
  return llvm::map_to_vector(
      buffersOf(plan.launches[part]), [&](KernelBuffer buffer) -> GroupBuffer {
        switch (buffer.kind) {
        case KernelBuffer::Kind::Operand:
          return Value(group.getBody().getArgument(buffer.index));
        case KernelBuffer::Kind::Result:
          return Value(group->getResult(buffer.index));
        case KernelBuffer::Kind::Temporary:
          return Type(
              ir::toMlir(group.getContext(), plan.temporaries[buffer.index]));
        }
        llvm_unreachable("every kind is one of these");
      });
}

KernelFunction::KernelFunction(ModuleOp module, ir::GroupOp group,
                               const KernelPlan &plan, unsigned part,
                               StringRef symbol, int64_t lanes)
    : GroupFunction(module, group, buffersOf(group, plan, part), symbol, lanes,
                    globalMemory(module.getContext()),
                    besidesBuffers(module.getContext())),
      part(part), planned(plan.launches[part]) {
  function->setAttr(kHasExtremesAttr, builder.getUnitAttr());
  emitter.setMemoryAlignment(SMP_CUDA_BUFFER_ALIGNMENT);
  emitter.setFault([this](Value index, Value bound, int64_t op) {
    reportFault(index, bound, op);
  });
  for (BlockArgument argument : function.getArguments()) {
    auto buffer = dyn_cast<MemRefType>(argument.getType());
    function.setArgAttr(
        argument.getArgNumber(), LLVM::LLVMDialect::getAlignAttrName(),
        builder.getI64IntegerAttr(buffer ? usableAlignment(buffer)
                                         : SMP_CUDA_BUFFER_ALIGNMENT));
  }
}

Value KernelFunction::temporaryMemory(unsigned i) const {
  const SmallVector<KernelBuffer> buffers = buffersOf(planned);
  const auto *found = llvm::find_if(buffers, [&](const KernelBuffer &buffer) {
    return buffer.kind == KernelBuffer::Kind::Temporary && buffer.index == i;
  });
  assert(found != buffers.end() && "the launch has no such temporary");
  return bufferMemory(unsigned(found - buffers.begin()));
}

LaunchShape KernelFunction::finish() {
  function->setAttr(kThreadsAttr,
                    builder.getDenseI32ArrayAttr({int32_t(blocks.threads[0])}));
  const bool isNarrow = emitter.space.fitsIn32Bits();
  function->setAttr(kIndexBitsAttr,
                    builder.getI64IntegerAttr(isNarrow ? 32 : 64));
  auto ops = group.getBody().front().without_terminator();
  if (mayFault)
    blocks.faultRecords = uint32_t(std::distance(ops.begin(), ops.end()));
  launch.blocks = blocks;
  return launch;
}

/// The lowest index stays. Of bounds, which are one but where an op has tuples
/// of indices, the greatest.
void KernelFunction::reportFault(Value index, Value bound, int64_t op) {
  mayFault = true;
  Location loc = emitter.location;
  auto word = [&](int32_t slot) -> Value {
    return LLVM::GEPOp::create(builder, loc, besides(0).getType(),
                               builder.getI64Type(), besides(0),
                               ArrayRef<LLVM::GEPArg>{slot});
  };
  using LLVM::AtomicBinOp, LLVM::AtomicOrdering;
  LLVM::AtomicRMWOp::create(builder, loc, AtomicBinOp::min,
                            word(int32_t(2 * op)), index,
                            AtomicOrdering::monotonic);
  LLVM::AtomicRMWOp::create(builder, loc, AtomicBinOp::max,
                            word(int32_t(2 * op + 1)), bound,
                            AtomicOrdering::monotonic);
}

void KernelFunction::wantRegisters(int32_t blocks) {
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(blocks));
}

/// The bf16, as an integer, whose bits are the upper half of `value`; null
/// where that is not seen.
static Value widenedFrom(Value value) {
  auto number = value.getDefiningOp<arith::BitcastOp>();
  auto bits = number ? number.getIn().getDefiningOp<arith::ShLIOp>() : nullptr;
  auto half = bits ? bits.getLhs().getDefiningOp<arith::ExtUIOp>() : nullptr;
  APInt by;
  if (!half || !matchPattern(bits.getRhs(), m_ConstantInt(&by)) || by != 16 ||
      !getElementTypeOrSelf(half.getIn().getType()).isInteger(16))
    return {};
  return half.getIn();
}

void KernelFunction::storeResult(unsigned i, Value value,
                                 const Position &position) {
  auto type = ir::tensorOf(group->getResult(i));
  Value half = type.getElementType().isBF16() ? widenedFrom(value) : Value();
  if (!half)
    return GroupFunction::storeResult(i, value, position);
  emitter.store(half, resultMemory(i), builder.getI16Type(),
                linearize(position, type.getShape()));
}

} // namespace smp::codegen::cuda
