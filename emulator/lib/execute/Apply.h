// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_APPLY_H
#define SMP_EMULATOR_EXECUTE_APPLY_H

#include "../core/Lanes.h"
#include "Table.h"

namespace smp::emulator {

/// The letter of a register that holds a T.
template <typename T>
constexpr char letter() {
  return sizeof(T) == 2 ? 'h' : sizeof(T) == 4 ? 'w' : 'd';
}

// Handlers that compute each lane from the same lane of the operands. Lanes
// without a value give lanes without one. Op is called as op(a, b) and gives an
// R.

template <typename R, typename A, auto op>
void unary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<A> a = read<A>(warp, instruction.ops[1]);
  Lanes<R> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r.at[lane] = op(a.at[lane]);
  write(warp, instruction.ops[0], r, mask, known(warp, instruction.ops[1]));
}

template <typename R, typename A, typename B, auto op>
void binary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<A> a = read<A>(warp, instruction.ops[1]);
  const Lanes<B> b = read<B>(warp, instruction.ops[2]);
  Lanes<R> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r.at[lane] = op(a.at[lane], b.at[lane]);
  write(warp, instruction.ops[0], r, mask,
        known(warp, instruction.ops[1]) & known(warp, instruction.ops[2]));
}

template <typename R, typename A, typename B, typename C, auto op>
void ternary(Warp &warp, const Instruction &instruction, uint32_t mask) {
  const Lanes<A> a = read<A>(warp, instruction.ops[1]);
  const Lanes<B> b = read<B>(warp, instruction.ops[2]);
  const Lanes<C> c = read<C>(warp, instruction.ops[3]);
  Lanes<R> r;
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    r.at[lane] = op(a.at[lane], b.at[lane], c.at[lane]);
  write(warp, instruction.ops[0], r, mask,
        known(warp, instruction.ops[1]) & known(warp, instruction.ops[2]) &
            known(warp, instruction.ops[3]));
}

// The same as entries of the table.

template <typename R, typename A, auto op>
void addUnary(Table &table, const std::string &name) {
  static constexpr char kOperands[] = {letter<R>(), letter<A>(), 0};
  table[name] = {unary<R, A, op>, kOperands};
}

template <typename R, typename A, typename B, auto op>
void addBinary(Table &table, const std::string &name) {
  static constexpr char kOperands[] = {letter<R>(), letter<A>(), letter<B>(),
                                       0};
  table[name] = {binary<R, A, B, op>, kOperands};
}

template <typename R, typename A, typename B, typename C, auto op>
void addTernary(Table &table, const std::string &name) {
  static constexpr char kOperands[] = {letter<R>(), letter<A>(), letter<B>(),
                                       letter<C>(), 0};
  table[name] = {ternary<R, A, B, C, op>, kOperands};
}

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_APPLY_H
