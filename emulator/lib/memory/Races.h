// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_MEMORY_RACES_H
#define SMP_EMULATOR_MEMORY_RACES_H

#include "Shadow.h"
#include <array>
#include <map>
#include <memory>

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
  uint32_t start = 0; ///< Whatever is before is over: older launches or blocks.
  uint32_t time = 0;  ///< Now.
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

/// Records that `lanes` of the warp touch the bytes `mask` (four bits) of a
/// cell; a write is of one lane. True, with `conflict` set, if something else
/// touched one of the bytes, not before, one of the two being a write and one
/// of them not atomic.
///
/// cell.write: time:32 | reader:16 | writer:16; cell.read: time:32 | warps:32.
/// A writer is thread:10, bytes:4, atomic:1. A reader is lane:5, several
/// lanes:1, bytes:4, all atomic:1, several blocks:1, and the warps of `read`;
/// of several readers the time is the first one's.
bool touchCell(Cell &cell, const Accessor &by, uint32_t lanes, uint8_t mask,
               Touch touch, Conflict &conflict);

/// touchCell() for `lanes` lanes that touch `each` whole cells one after the
/// other, beginning with lane 0; returns the lane of a conflict, or -1.
int touchCells(Cell *cells, const Accessor &by, uint32_t lanes, uint32_t each,
               Touch touch, Conflict &conflict);

} // namespace smp::emulator

#endif // SMP_EMULATOR_MEMORY_RACES_H
