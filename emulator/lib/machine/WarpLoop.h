// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MACHINE_WARPLOOP_H
#define SMP_EMULATOR_MACHINE_WARPLOOP_H

#include "../core/Block.h"

namespace smp::emulator {

/// Runs a warp until it has done `budget` instructions, waits, or a fault is
/// reported; returns how many it has done.
///
/// Lanes at the same instruction are a group. The group that is furthest behind
/// runs, so that lanes that went different ways meet where the ways do; when
/// groups stay apart for long, they take turns, so that no lane waits for
/// another one for ever.
uint32_t runWarp(Warp &warp, uint32_t budget);

/// Whether some lanes can go on.
bool isReady(const Warp &warp);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MACHINE_WARPLOOP_H
