// SPDX-License-Identifier: Apache-2.0
// A queue of blocks of bytes, in memory that is taken once.

#ifndef SMP_CAPTURE_BYTERING_H
#define SMP_CAPTURE_BYTERING_H

#include "smp/base/Status.h"
#include <cstdint>
#include <memory>
#include <span>

namespace smp {

/// Blocks lie whole in memory and stay where they are until they are popped.
/// Memory that was never needed is never touched.
class ByteRing {
public:
  ByteRing() = default;
  /// Fails with ResourceExhausted where the machine has not so much memory.
  static StatusOr<ByteRing> make(uint64_t bytes);

  uint64_t capacity() const { return bytes; }
  uint64_t count() const { return blocks; }
  /// Of the capacity, what a block of that size takes.
  static uint64_t blockBytes(uint64_t size);

  /// A block behind the last one, aligned to 8 bytes; null: there is no room.
  std::byte *push(uint64_t size);
  /// The oldest block; there is one.
  std::span<std::byte> front() { return blockAt(head); }
  /// Makes room of the oldest block.
  void pop();
  /// Calls `see` with the blocks, the oldest first.
  template <typename See>
  void forEach(See see) const {
    uint64_t at = head;
    for (uint64_t i = 0; i < blocks; ++i) {
      see(std::span<const std::byte>(blockAt(at)));
      at = after(at);
    }
  }

private:
  std::span<std::byte> blockAt(uint64_t at) const;
  uint64_t after(uint64_t at) const;

  std::unique_ptr<std::byte[]> memory;
  uint64_t bytes = 0, blocks = 0;
  uint64_t head = 0, tail = 0; ///< Of the oldest block; behind the newest.
  uint64_t end = 0;            ///< Behind the block after which comes offset 0.
};

} // namespace smp

#endif // SMP_CAPTURE_BYTERING_H
