// SPDX-License-Identifier: Apache-2.0
// Which of the work is a thread's, and what threads hand to each other.

#include "KernelFunction.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace smp::codegen::cuda {

/// A special register that holds 0..count - 1.
template <typename Register>
static Index readRegister(ElementEmitter &emitter, int64_t count) {
  if (count == 1)
    return Index(0);
  OpBuilder &b = emitter.builder;
  auto range = LLVM::ConstantRangeAttr::get(b.getContext(), APInt(32, 0),
                                            APInt(32, uint64_t(count)));
  Value value = Register::create(b, emitter.location, b.getI32Type(), range);
  return emitter.space.add(arith::IndexCastUIOp::create(
                               b, emitter.location, b.getIndexType(), value),
                           0, count - 1);
}

Index KernelFunction::thread(int64_t threads) {
  blocks.threads[0] = uint32_t(threads);
  return readRegister<NVVM::ThreadIdXOp>(emitter, threads);
}

Index KernelFunction::block(unsigned dim, int64_t count) {
  launch.grid[dim] = uint32_t(count);
  return dim == 0   ? readRegister<NVVM::BlockIdXOp>(emitter, count)
         : dim == 1 ? readRegister<NVVM::BlockIdYOp>(emitter, count)
                    : readRegister<NVVM::BlockIdZOp>(emitter, count);
}

void KernelFunction::forEach(int64_t count, function_ref<void(Index)> body) {
  constexpr int64_t kBlockThreads = 128;
  const int64_t warps = (count + kWarpThreads - 1) / kWarpThreads;
  const int64_t threads =
      std::clamp(warps * kWarpThreads, kWarpThreads, kBlockThreads);
  const int64_t blocks = std::max<int64_t>((count + threads - 1) / threads, 1);
  where(block(0, blocks) * threads + thread(threads), count, body);
}

void KernelFunction::forEachVector(int64_t count,
                                   function_ref<void(Index)> body) {
  const int64_t lanes = emitter.lanes;
  if (lanes == 1)
    return forEach(count, body);
  const int64_t vectors = count / lanes, rest = count % lanes;
  forEach(vectors + rest, [&](const Index &number) {
    where(
        number, vectors,
        [&](const Index &vector) {
          body(vector * lanes + emitter.space.lane());
        },
        [&] { // Of 0..rest - 1, as numbers end there.
          Value left =
              emitter.space.emit(builder, emitter.location, number - vectors);
          body(emitter.space.add(left, 0, rest - 1) + Index(vectors * lanes));
        });
  });
}

void KernelFunction::where(const Index &number, int64_t count,
                           function_ref<void(Index)> body,
                           function_ref<void()> otherwise) {
  auto [least, greatest] = emitter.space.range(number);
  if (least >= 0 && greatest < count)
    return body(number);
  Value value = emitter.space.emit(builder, emitter.location, number);
  Value isThere = arith::CmpIOp::create(builder, emitter.location,
                                        arith::CmpIPredicate::ult, value,
                                        emitter.indexConstant(count));
  emitter.branch(
      isThere,
      [&] {
        if (count > 0)
          body(emitter.space.add(value, 0, count - 1));
      },
      otherwise);
}

SmallVector<Value> KernelFunction::stride(const Index &first, int64_t step,
                                          int64_t most, int64_t end,
                                          ValueRange carried,
                                          ElementEmitter::LoopBody body) {
  Location loc = emitter.location;
  auto at = [&](Index turn, ValueRange inner) {
    ElementEmitter::Scope scope(emitter);
    return body(turn * step + first, inner);
  };
  if (emitter.space.range(first).second + (most - 1) * step < end)
    return emitter.loop(0, most, 1, carried, at);
  auto constant = [&](int64_t value) { return emitter.indexConstant(value); };
  Value count =
      emitter.space.emit(builder, loc, first * -1 + Index(end + step - 1));
  count = arith::MaxSIOp::create(builder, loc, count, constant(0));
  count = arith::DivUIOp::create(builder, loc, count, constant(step));
  count = arith::MinSIOp::create(builder, loc, count, constant(most));
  return emitter.loop(constant(0), count, 0, most, carried, at);
}

Value KernelFunction::shared(Type element, int64_t count) {
  // The address space of what the threads of a block can reach.
  constexpr unsigned kShared = 3;
  auto type = MemRefType::get({count}, element, MemRefLayoutAttrInterface(),
                              builder.getI64IntegerAttr(kShared));
  std::string name =
      (function.getSymName() + "_shared" + Twine(numShared++)).str();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(function);
    memref::GlobalOp::create(builder, emitter.location, name,
                             builder.getStringAttr("private"), type,
                             builder.getUnitAttr(), /*constant=*/false,
                             builder.getI64IntegerAttr(16));
  }
  return memref::GetGlobalOp::create(builder, emitter.location, type, name);
}

void KernelFunction::barrier() {
  NVVM::Barrier0Op::create(builder, emitter.location);
}

Value KernelFunction::exchange32(Value value, int64_t mask) {
  Location loc = emitter.location;
  auto number = [&](int64_t n) -> Value {
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(), n);
  };
  return NVVM::ShflOp::create(builder, loc, builder.getI32Type(), number(-1),
                              value, number(mask), number(kWarpThreads - 1),
                              NVVM::ShflKind::bfly, UnitAttr());
}

Value KernelFunction::exchange(Value value, int64_t mask) {
  Location loc = emitter.location;
  Type type = value.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  Type word = builder.getI32Type(), integer = builder.getIntegerType(bits);
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, integer, value);
  if (bits < 32)
    value = arith::ExtUIOp::create(builder, loc, word, value);
  if (bits <= 32) {
    value = exchange32(value, mask);
    if (bits < 32)
      value = arith::TruncIOp::create(builder, loc, integer, value);
  } else {
    Value half =
        arith::ConstantIntOp::create(builder, loc, integer, int64_t(32));
    Value low = arith::TruncIOp::create(builder, loc, word, value);
    Value high = arith::TruncIOp::create(
        builder, loc, word, arith::ShRUIOp::create(builder, loc, value, half));
    auto widen = [&](Value part) -> Value {
      return arith::ExtUIOp::create(builder, loc, integer,
                                    exchange32(part, mask));
    };
    low = widen(low);
    high = arith::ShLIOp::create(builder, loc, widen(high), half);
    value = arith::OrIOp::create(builder, loc, low, high);
  }
  if (isa<FloatType>(type))
    value = arith::BitcastOp::create(builder, loc, type, value);
  return value;
}

} // namespace smp::codegen::cuda
