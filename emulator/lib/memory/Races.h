// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MEMORY_RACES_H
#define SMP_EMULATOR_MEMORY_RACES_H

#include "Shadow.h"
#include <array>
#include <map>
#include <memory>
#include <span>

namespace smp::emulator {

/// Times are numbers that grow. Blocks take them from the device in chunks, so
/// that a chunk says whose time it is; a warp takes a new one whenever it meets
/// others.
inline constexpr uint32_t kChunk = 64;
inline constexpr uint32_t kMaxWarps = 32;

/// Per warp of a block, the time up to which its accesses are over.
using Clock = std::array<uint32_t, kMaxWarps>;
/// What is over of other blocks.
using ForeignClocks = std::map<uint32_t, Clock>;

/// The warp that accesses memory, and what is over for it.
struct Accessor {
  /// What anybody did up to this time is over: in older launches or blocks, in
  /// shared memory also before the last barrier of all.
  uint32_t over = 0;
  uint32_t time = 0; ///< Now.
  uint32_t warp = 0;
  uint32_t block = 0;
  Clock clock{};
  /// Which block has a chunk; null: all are of this one.
  const uint32_t *owners = nullptr;
  std::shared_ptr<const ForeignClocks> foreign;
};

/// What an access does to a cell.
enum class Touch : uint8_t { Read, Write, AtomicRead, AtomicWrite };

/// An earlier access that the one at hand is not ordered with.
struct Conflict {
  uint32_t block = 0;
  uint32_t thread = 0;
  bool wrote = false;
  bool severalThreads = false;
};

/// Bytes that some lanes of a warp touch at once.
struct Place {
  uint64_t offset = 0; ///< In what a View is of.
  uint32_t lanes = 0;  ///< One, if they write.
};

/// Records that lanes of the warp touch `bytes` bytes at each place. The number
/// of the first place, with `conflict` set, where something else touched one of
/// the bytes, not before, one of the two being a write and one of them not
/// atomic; or -1.
///
/// cell.write: time:32 | reader:16 | writer:16; cell.read: time:32 | warps:32.
/// A writer is thread:10, bytes:4, atomic:1. A reader is lane:5, several
/// lanes:1, bytes:4, all atomic:1, several blocks:1, and the warps of `read`;
/// of several readers the time is the first one's.
int touchPlaces(const View &view, std::span<const Place> places, uint32_t bytes,
                const Accessor &by, Touch touch, Conflict &conflict);

/// The same for the lanes from `first` to before `end`, each at whole cells
/// that lie behind those of the lane before; returns the lane of a conflict.
int touchRow(const View &view, uint64_t offset, uint32_t first, uint32_t end,
             uint32_t bytes, const Accessor &by, Touch touch,
             Conflict &conflict);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MEMORY_RACES_H
