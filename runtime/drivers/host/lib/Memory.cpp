// SPDX-License-Identifier: Apache-2.0
#include "smp/drivers/host/Memory.h"
#include "smp/base/CallApplication.h"
#include "smp/base/Pieces.h"
#include "smp/model/Alignment.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

namespace smp {

/// From here on a block starts at a huge page and asks for them.
static constexpr size_t kHugePage = size_t(2) << 20;
static constexpr size_t kLarge = 2 * kHugePage;

/// What is large enough for it may be written to a file past the page cache.
static size_t alignmentFor(size_t bytes) {
  return bytes >= kLarge         ? kHugePage
         : bytes >= kLeastDirect ? kDirectAlignment
                                 : kDeviceAlignment;
}

static void *allocateFromLibc(size_t bytes) {
  const size_t align = alignmentFor(bytes);
  void *memory = std::aligned_alloc(align, (bytes + align - 1) / align * align);
  if (memory && bytes >= kLarge)
    madvise(memory, bytes, MADV_HUGEPAGE);
  return memory;
}

static Status outOfMemory(const std::string &who, uint64_t bytes) {
  return resourceExhausted("device '" + who + "': the system has no " +
                           std::to_string(bytes) + " bytes of memory left");
}

StatusOr<std::shared_ptr<std::byte>> allocateHost(uint64_t bytes,
                                                  const std::string &who) {
  auto *memory = static_cast<std::byte *>(allocateFromLibc(bytes ? bytes : 1));
  if (!memory)
    return outOfMemory(who, bytes);
  std::memset(memory, 0, bytes);
  return std::shared_ptr<std::byte>(memory, std::free);
}

StatusOr<HostBlock> HostBlock::reserve(MemoryMeter &meter, uint64_t bytes,
                                       const std::string &who) {
  if (!meter.take(bytes))
    return resourceExhausted(
        "device '" + who + "': " + std::to_string(bytes) +
        " bytes more than the " + std::to_string(meter.current()) +
        " in use pass the memory limit of " + std::to_string(meter.limit()) +
        "; raise the limit or split the program over more devices");
  HostBlock block;
  block.meter = &meter;
  block.bytes = bytes;
  return block;
}

/// Kernels read and write as many bytes at once as its alignment allows.
static Status checkAligned(const void *memory, const std::string &who,
                           size_t size) {
  if (reinterpret_cast<uintptr_t>(memory) % kDeviceAlignment == 0)
    return Status();
  char address[32];
  std::snprintf(address, sizeof(address), "%p", memory);
  return invalidArgument("device '" + who +
                         "': the application's allocator gave " +
                         std::to_string(size) + " bytes at " + address +
                         "; they must be at a multiple of the alignment that "
                         "it is asked for, " +
                         std::to_string(kDeviceAlignment));
}

StatusOr<HostBlock> HostBlock::allocate(MemoryMeter &meter,
                                        const HostAllocator &allocator,
                                        uint64_t bytes,
                                        const std::string &who) {
  SMP_ASSIGN_OR_RETURN(HostBlock block, reserve(meter, bytes, who));
  block.allocator = allocator;
  const size_t size = bytes ? bytes : 1;
  void *memory = nullptr;
  if (!allocator.allocate)
    memory = allocateFromLibc(size);
  else if (const Thrown thrown = callApplication([&] {
             memory =
                 allocator.allocate(allocator.user, size, kDeviceAlignment);
           }))
    return resourceExhausted("device '" + who +
                             "': the application's allocator threw" + *thrown +
                             " for " + std::to_string(size) + " bytes");
  block.memory = static_cast<std::byte *>(memory);
  if (!memory)
    return outOfMemory(who, bytes);
  SMP_RETURN_IF_ERROR(checkAligned(memory, who, size));
  return block;
}

HostBlock::~HostBlock() {
  if (!meter)
    return;
  meter->giveBack(bytes);
  if (memory && allocator.allocate)
    callApplication(
        [&] { allocator.release(allocator.user, memory, bytes ? bytes : 1); });
  else
    std::free(memory);
}

void HostBlock::swap(HostBlock &other) {
  std::swap(meter, other.meter);
  std::swap(allocator, other.allocator);
  std::swap(memory, other.memory);
  std::swap(bytes, other.bytes);
}

void copyRows(std::byte *to, const std::byte *from, const CopyShape &shape) {
  if (shape.rowBytes == 0)
    return;
  for (uint64_t row = 0; row < shape.rows; ++row)
    std::memcpy(to + row * shape.toPitch, from + row * shape.fromPitch,
                shape.rowBytes);
}

} // namespace smp
