// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_MOVES_H
#define SMP_EMULATOR_EXECUTE_MOVES_H

#include "../core/Program.h"

namespace smp::emulator {

/// mov of `count` parts of `bytes` each into one register, or out of one; null
/// if there is no such move.
Handler packHandler(uint8_t bytes, uint8_t count);
Handler unpackHandler(uint8_t bytes, uint8_t count);
/// Copies registers of `from` bytes to ones of `to` bytes: cut, or extended.
Handler resizeHandler(uint8_t from, uint8_t to, bool isSigned);
/// Gives a register of 4 bytes the lanes that are at the same instruction.
Handler activeMaskHandler();
/// Nothing, as of hints.
Handler nothingHandler();

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_MOVES_H
