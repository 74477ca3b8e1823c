// SPDX-License-Identifier: Apache-2.0
// atom and red: of integers, so that the order of lanes and blocks decides
// nothing.
#include "../core/Lanes.h"
#include "Access.h"
#include "MemoryForms.h"
#include "Order.h"
#include <atomic>

using namespace smp::emulator;

namespace {

template <typename T>
T add(T old, T b, T) {
  return static_cast<T>(uint64_t(old) + uint64_t(b));
}
template <typename T>
T least(T old, T b, T) {
  return b < old ? b : old;
}
template <typename T>
T greatest(T old, T b, T) {
  return old < b ? b : old;
}
template <typename T>
T both(T old, T b, T) {
  return old & b;
}
template <typename T>
T either(T old, T b, T) {
  return old | b;
}
template <typename T>
T exclusive(T old, T b, T) {
  return old ^ b;
}
template <typename T>
T exchange(T, T b, T) {
  return b;
}
template <typename T>
T compareAndSwap(T old, T b, T c) {
  return old == b ? c : old;
}
template <typename T>
T increment(T old, T b, T) {
  return old >= b ? 0 : old + 1;
}
template <typename T>
T decrement(T old, T b, T) {
  return old == 0 || old > b ? b : old - 1;
}

template <typename T, auto op>
void atomic(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const uint32_t defined =
      known(warp, instruction.ops[1]) & known(warp, instruction.ops[2]);
  if (mask & ~defined) {
    report(warp, instruction, __builtin_ctz(mask & ~defined),
           FaultKind::Uninitialised, "an operand has no value");
    return;
  }
  // It reads, too, which only the check of what is written tells apart.
  Access access;
  if (!locate(warp, instruction, mask, Touch::AtomicRead, access) ||
      !locate(warp, instruction, mask, Touch::AtomicWrite, access))
    return;
  ++warp.block->statistics.atomics;
  orderAtomic(warp, instruction, access);
  const Lanes<T> b = read<T>(warp, instruction.ops[1]);
  const Lanes<T> c = read<T>(warp, instruction.ops[2]);
  Lanes<T> r{};
  for (uint32_t lanes = mask; lanes; lanes &= lanes - 1) {
    const uint32_t lane = __builtin_ctz(lanes);
    std::atomic_ref<T> memory(*reinterpret_cast<T *>(access.at[lane]));
    T old = memory.load();
    while (!memory.compare_exchange_weak(
        old, static_cast<T>(op(old, b.at[lane], c.at[lane])))) {
    }
    r.at[lane] = old;
  }
  if (!isNowhere(instruction.ops[0]))
    write(warp, instruction.ops[0], r, mask);
}

template <typename T>
Handler ofType(std::string_view operation) {
  if (operation == "add")
    return atomic<T, add<T>>;
  if (operation == "min")
    return atomic<T, least<T>>;
  if (operation == "max")
    return atomic<T, greatest<T>>;
  return nullptr;
}

template <typename T>
Handler ofBits(std::string_view operation) {
  if (operation == "and")
    return atomic<T, both<T>>;
  if (operation == "or")
    return atomic<T, either<T>>;
  if (operation == "xor")
    return atomic<T, exclusive<T>>;
  if (operation == "exch")
    return atomic<T, exchange<T>>;
  if (operation == "cas")
    return atomic<T, compareAndSwap<T>>;
  return nullptr;
}

} // namespace

Handler smp::emulator::atomicHandler(std::string_view operation, Type type) {
  if (type.kind == TypeClass::Signed)
    return type.bytes == 4   ? ofType<int32_t>(operation)
           : type.bytes == 8 ? ofType<int64_t>(operation)
                             : nullptr;
  if (type.kind == TypeClass::Bits)
    return type.bytes == 4   ? ofBits<uint32_t>(operation)
           : type.bytes == 8 ? ofBits<uint64_t>(operation)
           : type.bytes == 2 && operation == "cas"
               ? Handler(atomic<uint16_t, compareAndSwap<uint16_t>>)
               : nullptr;
  if (type.kind != TypeClass::Unsigned)
    return nullptr;
  if (type.bytes == 8)
    return ofType<uint64_t>(operation);
  if (type.bytes != 4)
    return nullptr;
  if (operation == "inc")
    return atomic<uint32_t, increment<uint32_t>>;
  if (operation == "dec")
    return atomic<uint32_t, decrement<uint32_t>>;
  return ofType<uint32_t>(operation);
}
