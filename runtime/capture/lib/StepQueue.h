// SPDX-License-Identifier: Apache-2.0
// Steps on their way from the thread that makes them to the one that writes
// them.

#ifndef SMP_CAPTURE_STEPQUEUE_H
#define SMP_CAPTURE_STEPQUEUE_H

#include "ByteRing.h"
#include "smp/device/Changes.h"
#include <atomic>
#include <mutex>

namespace smp {

/// Blocks in memory of a set size, each a part of a step. One thread at a time
/// puts steps in, one other takes them out.
class StepQueue {
public:
  explicit StepQueue(ByteRing ring) : ring(std::move(ring)) {}

  uint64_t capacity() const { return ring.capacity(); }

  /// Room for a block of the step that is being put together, aligned to 8
  /// bytes. Null where there is none; `waits`: where none can become free.
  std::byte *take(uint64_t bytes, bool waits);
  /// The step is complete: its blocks may be taken out.
  void give();
  /// Gives the last step and waits until all blocks were taken out and
  /// released.
  void drain();
  /// Gives the last step; nothing will be taken any more.
  void close();

  struct Block {
    std::span<const std::byte> bytes; ///< Empty: nothing will come.
    bool endsStep = false;
  };
  /// Waits for the oldest block that was given. It is there until release().
  Block next();
  void release();

private:
  struct Header {
    uint64_t endsStep = 0; ///< Whether it does.
  };

  std::mutex lock; // Of all below but the blocks that are taken or out.
  Changes changes;
  ByteRing ring;
  uint64_t given = 0;     ///< Blocks of the ring, its oldest.
  Header *last = nullptr; ///< Of the block taken last; null: it is given.
  bool isClosed = false;
};

} // namespace smp

#endif // SMP_CAPTURE_STEPQUEUE_H
