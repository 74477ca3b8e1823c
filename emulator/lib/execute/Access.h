// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_ACCESS_H
#define SMP_EMULATOR_EXECUTE_ACCESS_H

#include "../core/Block.h"

namespace smp::emulator {

/// What a warp's instruction touches in memory, as addresses of the host.
struct Access {
  Space space = Space::Global; ///< Global, Shared or Local.
  Touch touch = Touch::Read;
  uint32_t mask = 0;
  uint32_t bytes = 0; ///< Of a lane.
  uint32_t first = 0; ///< The first lane.
  bool dense =
      false; ///< Lanes from `first` on without a gap, one behind another.
  bool same = false; ///< All at one place.
  uint64_t at[kLanes] = {};
};

/// Finds and checks what the lanes of `mask` touch at ops[4]. Nothing if a
/// fault was reported. Lanes outside have an address that may be read.
bool locate(Warp &warp, const Instruction &instruction, uint32_t mask,
            Touch touch, Access &access);

/// Counts an access and, of shared memory, the turns it takes.
void countTraffic(Warp &warp, const Access &access);

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_ACCESS_H
