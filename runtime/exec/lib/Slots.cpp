// SPDX-License-Identifier: Apache-2.0
#include "Slots.h"
#include <algorithm>
#include <cstdlib>

namespace smp {

void HostMemory::Free::operator()(std::byte *data) const { std::free(data); }

Status HostMemory::reserve(uint64_t bytes) {
  if (memory && bytes <= capacity)
    return Status();
  memory.reset();
  const uint64_t size = bytes / 64 * 64 + 64;
  memory.reset(static_cast<std::byte *>(std::aligned_alloc(64, size)));
  capacity = memory ? size : 0;
  return memory
             ? Status()
             : resourceExhausted("the system has no " + std::to_string(size) +
                                 " bytes of memory left");
}

uint64_t EntryMemory::take(uint64_t bytes) {
  const uint64_t offset = next;
  next += (bytes + 63) / 64 * 64;
  most = std::max(most, next);
  return offset;
}

Status EntryMemory::allocate(Device &device) {
  StatusOr<std::unique_ptr<Buffer>> allocated = device.allocate(most);
  if (!allocated.ok())
    return allocated.status().in("memory between stages");
  buffer = allocated.take();
  return Status();
}

Slots::Slots(Device &device, EntryMemory &memory, uint32_t count,
             uint64_t bytes)
    : memory(memory), size(bytes), stride((bytes + 63) / 64 * 64),
      first(memory.take(stride * count)) {
  for (uint32_t i = 0; i < count; ++i)
    events.push_back(device.makeEvent());
}

} // namespace smp
