// SPDX-License-Identifier: Apache-2.0
#include "ByteRing.h"
#include <cstring>
#include <new>

namespace smp {

/// Before each block: how many bytes it was asked for.
constexpr uint64_t kHeader = sizeof(uint64_t);

uint64_t ByteRing::blockBytes(uint64_t size) {
  return kHeader + (size + kHeader - 1) / kHeader * kHeader;
}

StatusOr<ByteRing> ByteRing::make(uint64_t bytes) {
  ByteRing ring;
  ring.memory.reset(new (std::nothrow) std::byte[bytes]);
  if (!ring.memory)
    return resourceExhausted("there is no memory for buffers of " +
                             std::to_string(bytes) + " bytes");
  ring.bytes = ring.end = bytes;
  return ring;
}

std::byte *ByteRing::push(uint64_t size) {
  if (size > bytes)
    return nullptr;
  const uint64_t needed = blockBytes(size);
  if (blocks == 0) {
    head = tail = 0;
    end = bytes;
  }
  const bool isWrapped = blocks > 0 && tail <= head;
  if (isWrapped ? head - tail < needed : bytes - tail < needed) {
    if (isWrapped || head < needed)
      return nullptr;
    end = tail;
    tail = 0;
  }
  std::byte *block = memory.get() + tail;
  std::memcpy(block, &size, kHeader);
  tail += needed;
  ++blocks;
  return block + kHeader;
}

void ByteRing::pop() {
  head = after(head);
  --blocks;
  if (head == 0)
    end = bytes;
}

std::span<std::byte> ByteRing::blockAt(uint64_t at) const {
  uint64_t size = 0;
  std::memcpy(&size, memory.get() + at, kHeader);
  return {memory.get() + at + kHeader, size};
}

uint64_t ByteRing::after(uint64_t at) const {
  const uint64_t next = at + blockBytes(blockAt(at).size());
  return next == end ? 0 : next;
}

} // namespace smp
