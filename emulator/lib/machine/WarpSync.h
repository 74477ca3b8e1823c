// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MACHINE_WARPSYNC_H
#define SMP_EMULATOR_MACHINE_WARPSYNC_H

#include "../core/Block.h"

namespace smp::emulator {

/// Does a WarpSync if all of the lanes that it wants are those of `mask`. False
/// if they are not, or a fault was reported.
bool meetAtOnce(Warp &warp, const Instruction &instruction, uint32_t mask);

/// Lanes come to a WarpSync or a barrier at `pc` and join those that wait
/// there; what is then complete goes on.
void gather(Warp &warp, const Instruction &instruction, uint32_t pc,
            uint32_t mask);

/// Lanes of the warp have ended: nobody may wait for them.
void checkGathersAfterExit(Warp &warp);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MACHINE_WARPSYNC_H
