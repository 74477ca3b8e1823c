// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_CORE_BLOCK_H
#define SMP_EMULATOR_CORE_BLOCK_H

#include "Shape.h"
#include "Warp.h"
#include "smp/emulator/Launch.h"
#include <mutex>

namespace smp::emulator {

/// What the blocks of a launch share.
struct Run {
  Run(const Launch &launch, const Program &program, Shadow &shadow)
      : launch(launch), program(program), shadow(shadow) {
    placeDynamicArrays();
  }

  const Launch &launch;
  const Program &program;
  Shadow &shadow;
  /// The parameters; buffers carry their tags.
  std::vector<std::byte> parameters;
  /// Per tag, from 1.
  struct Buffer {
    uint64_t address = 0;
    uint64_t bytes = 0;
    bool writable = true;
    uint32_t parameter = 0;
    /// Nothing that the launch may write overlaps it: no race can be there.
    bool quiet = false;
  };
  std::vector<Buffer> buffers;
  /// By number, with the launch's dynamic memory.
  std::vector<SharedArray> sharedArrays;
  uint64_t sharedBytes = 0; ///< Of a block, to the end of the last array.
  uint32_t start = 0;       ///< The first time of the launch.
  /// What releases have published, by address.
  std::mutex mutex;
  std::map<uint64_t, std::shared_ptr<const ForeignClocks>> published;
  std::atomic<bool> stop{false};
  std::atomic<uint64_t> warpInstructions{0};

private:
  void placeDynamicArrays();
};

/// A barrier of a block.
struct Barrier {
  uint32_t expected = 0; ///< Threads; 0: all of the block.
  uint32_t arrived = 0;
  struct Arrival {
    uint32_t warp = 0;
    uint32_t mask = 0;
    uint32_t pc = 0;
    bool waits = true;
    Clock clock{}; ///< What is over for the warp, itself included.
    std::shared_ptr<const ForeignClocks> foreign;
  };
  std::vector<Arrival> arrivals;
};
inline constexpr uint32_t kBarriers = 16;

struct Block {
  Run *run = nullptr;
  uint32_t index = 0; ///< Among all of the grid.
  Dim3 place;
  uint32_t threads = 0;
  uint32_t exited = 0; ///< Threads that have ended.
  uint64_t random = 0;
  View shared;
  std::byte *sharedBytes = nullptr; ///< What address 0 of shared memory is.
  std::vector<Warp> warps;
  std::array<Barrier, kBarriers> barriers;
  /// The times of the block that are not yet taken.
  uint32_t nextTime = 0, endTime = 0;
  Statistics statistics;
  std::optional<Fault> fault;
  Shape *shapes = nullptr; ///< By Instruction::access, of the host's thread.
};

/// The next number of the block's random order.
inline uint64_t nextRandom(Block &block) {
  block.random ^= block.random << 13;
  block.random ^= block.random >> 7;
  block.random ^= block.random << 17;
  return block.random * 0x2545f4914f6cdd1dull >> 32;
}

/// A new time of the block.
uint32_t takeTime(Block &block);
/// Gives the warp a new time; what its lanes did before is over for all of
/// them.
void tick(Warp &warp);

/// Reports what an instruction did for a lane; the first report counts.
void report(Warp &warp, const Instruction &instruction, uint32_t lane,
            FaultKind kind, const std::string &what);
/// "0x1f"
std::string hex(uint64_t value);
/// "thread (1,0,0) of block (2,0,0)"
std::string threadName(const Run &run, uint32_t block, uint32_t thread);
Dim3 threadPlace(const Run &run, uint32_t thread);
Dim3 blockPlace(const Run &run, uint32_t block);

} // namespace smp::emulator

#endif // SMP_EMULATOR_CORE_BLOCK_H
