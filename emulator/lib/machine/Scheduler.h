// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MACHINE_SCHEDULER_H
#define SMP_EMULATOR_MACHINE_SCHEDULER_H

#include "../core/Block.h"
#include <memory>

namespace smp::emulator {

/// A block with the memory of its warps, used for one block after the other.
class BlockSlot {
public:
  /// `shapes`: of the thread that runs it.
  BlockSlot(Run &run, Shape *shapes);
  /// False where the system had no memory for it.
  bool valid() const;

  /// Makes it block `index` of the grid, at its beginning.
  void start(uint32_t index);
  /// Runs its warps in a random order for about `instructions` of warps. True
  /// if it has ended or a fault was reported.
  bool advance(uint64_t instructions);

  Block &block() { return state; }

private:
  void startWarp(Warp &warp);
  void fillSpecials(Warp &warp);
  void reportStuck();

  Run &run;
  Block state;
  uint64_t registerBytes = 0;
  uint64_t localBytes = 0; // Of all threads.
  Pages registers, local, shared, localStates, sharedStates, sharedCells;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_MACHINE_SCHEDULER_H
