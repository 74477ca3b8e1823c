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
  uint32_t bytes = 0; ///< Of a lane; a power of two.
  uint32_t first = 0; ///< The first lane.
  uint64_t at[kLanes];
  Shape *shape = nullptr; ///< None of local memory.
  bool quiet = false;     ///< Nobody can write there in this launch.
};

/// The shape of the lanes, as the instruction had it before or new.
Shape &shapeOf(const Warp &warp, const Instruction &instruction,
               const Access &access);

inline bool writes(Touch touch) {
  return touch == Touch::Write || touch == Touch::AtomicWrite;
}

/// Checks that all lanes touch bytes that are there, have values if they are
/// read, and are aligned; makes their addresses those of the host.
bool checkBounds(Warp &warp, const Instruction &instruction, Access &access);

/// Reports a fault of a lane that touches `address`.
bool reportAccess(Warp &warp, const Instruction &instruction,
                  const Access &access, uint32_t lane, uint64_t address,
                  FaultKind kind, const std::string &what);

/// Finds and checks what the lanes of `mask` touch at ops[4]. Nothing if a
/// fault was reported. Lanes outside have an address that may be read.
bool locate(Warp &warp, const Instruction &instruction, uint32_t mask,
            Touch touch, Access &access);

/// Counts an access and, of shared memory, the turns it takes.
void countTraffic(Warp &warp, const Access &access);

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_ACCESS_H
