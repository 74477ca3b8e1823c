// SPDX-License-Identifier: Apache-2.0
#include "Slots.h"
#include <algorithm>
#include <cstdlib>

namespace smp {

void HostMemory::Free::operator()(std::byte *data) const { std::free(data); }

Status HostMemory::reserve(uint64_t bytes, uint64_t alignment) {
  if (memory && bytes <= capacity)
    return Status();
  pins.clear();
  memory.reset();
  const uint64_t size =
      (std::max<uint64_t>(bytes, 1) + alignment - 1) / alignment * alignment;
  memory.reset(static_cast<std::byte *>(std::aligned_alloc(alignment, size)));
  capacity = memory ? size : 0;
  return memory
             ? Status()
             : resourceExhausted("the system has no " + std::to_string(size) +
                                 " bytes of memory left");
}

void HostMemory::pinFor(Device &device) {
  if (auto pinned = device.pinHost(memory.get(), capacity))
    pins.push_back(std::move(pinned));
}

Status EntryMemory::allocate(Device &device, uint64_t bytes) {
  SMP_ASSIGN_OR_RETURN(buffer,
                       device.allocate(bytes).in("memory between stages"));
  return Status();
}

Slots::Slots(Device &device, EntryMemory &memory, uint64_t first,
             uint32_t count, uint64_t bytes)
    : memory(memory), size(bytes), stride(alignUp(bytes)), first(first) {
  for (uint32_t i = 0; i < count; ++i)
    events.push_back(device.makeEvent());
}

} // namespace smp
