// SPDX-License-Identifier: Apache-2.0
// Memory for tensors between stages and the caller.

#ifndef SMP_EXEC_SLOTS_H
#define SMP_EXEC_SLOTS_H

#include "smp/device/Device.h"
#include "smp/model/Alignment.h"

namespace smp {

/// Host memory at a multiple of kDeviceAlignment, or of a larger one.
class HostMemory {
public:
  /// Grows to at least this size; what was in it is lost when it does.
  Status reserve(uint64_t bytes, uint64_t alignment = kDeviceAlignment);
  /// Makes copies between what is reserved and the device faster, where that
  /// can be.
  void pinFor(Device &device);
  std::byte *data() const { return memory.get(); }

private:
  struct Free {
    void operator()(std::byte *data) const;
  };
  std::unique_ptr<std::byte, Free> memory;
  uint64_t capacity = 0;
  std::vector<std::unique_ptr<PinnedHost>> pins; // End before the memory.
};

/// Memory of one device that all entries use, since one of them runs at a time:
/// what EntryLayout divides.
class EntryMemory {
public:
  Status allocate(Device &device, uint64_t bytes);
  BufferView view(uint64_t offset) const { return {buffer.get(), offset}; }

private:
  std::unique_ptr<Buffer> buffer;
};

/// `count` places for the tensors of an edge, used round and round: microbatch
/// m has place m % count. Each has an event that is recorded when it is full.
class Slots {
public:
  /// The first place is at `first` of the memory.
  Slots(Device &device, EntryMemory &memory, uint64_t first, uint32_t count,
        uint64_t bytes);

  uint32_t count() const { return uint32_t(events.size()); }
  uint64_t bytes() const { return size; }
  BufferView view(uint32_t microbatch) const {
    return memory.view(first + microbatch % count() * stride);
  }
  Event &full(uint32_t microbatch) { return *events[microbatch % count()]; }

private:
  EntryMemory &memory; // Borrowed; outlives it.
  uint64_t size, stride, first;
  std::vector<std::unique_ptr<Event>> events;
};

} // namespace smp

#endif // SMP_EXEC_SLOTS_H
