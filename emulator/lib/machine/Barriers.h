// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MACHINE_BARRIERS_H
#define SMP_EMULATOR_MACHINE_BARRIERS_H

#include "../core/Block.h"

namespace smp::emulator {

/// Lanes of a warp come to a barrier; whoever waits there goes on if they were
/// the last. True if they wait.
bool arriveAtBarrier(Warp &warp, const Instruction &instruction, uint32_t pc,
                     uint32_t mask);

/// Threads of the block have ended: barriers of all threads cannot be complete.
void checkBarriersAfterExit(Block &block);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MACHINE_BARRIERS_H
