// SPDX-License-Identifier: Apache-2.0
// Host memory as device memory: what drivers that run on the CPU share.

#ifndef SMP_DRIVERS_HOST_MEMORY_H
#define SMP_DRIVERS_HOST_MEMORY_H

#include "smp/device/Device.h"

namespace smp {

/// A block of host memory at a multiple of kDeviceAlignment, counted by a
/// meter.
class HostBlock {
public:
  HostBlock() = default;
  /// `who` is the device's name, for the error.
  static StatusOr<HostBlock> allocate(MemoryMeter &meter,
                                      const HostAllocator &allocator,
                                      uint64_t bytes, const std::string &who);
  /// Counts the bytes and allocates none.
  static StatusOr<HostBlock> reserve(MemoryMeter &meter, uint64_t bytes,
                                     const std::string &who);
  ~HostBlock();
  HostBlock(HostBlock &&other) noexcept { swap(other); }
  HostBlock &operator=(HostBlock &&other) noexcept {
    swap(other);
    return *this;
  }

  std::byte *data() const { return memory; }
  uint64_t size() const { return bytes; }

private:
  void swap(HostBlock &other);

  MemoryMeter *meter = nullptr; // Borrowed; null when empty.
  HostAllocator allocator;
  std::byte *memory = nullptr; // Owned.
  uint64_t bytes = 0;
};

/// Memory of the C library at a multiple of kDeviceAlignment, in huge pages
/// where it is large; zero. `who` is for the error.
StatusOr<std::shared_ptr<std::byte>> allocateHost(uint64_t bytes,
                                                  const std::string &who);

/// A buffer in host memory, its own or imported.
class HostBuffer final : public Buffer {
public:
  explicit HostBuffer(HostBlock block)
      : Buffer(block.size(), !block.data()), data(block.data()),
        block(std::move(block)) {}
  HostBuffer(void *imported, uint64_t bytes)
      : Buffer(bytes, true), data(static_cast<std::byte *>(imported)) {}

  void pointTo(void *imported, uint64_t size) {
    data = static_cast<std::byte *>(imported);
    bytes = size;
  }
  std::byte *data;

private:
  HostBlock block;
};

/// Where a view of a HostBuffer is.
inline std::byte *hostAddress(const BufferView &view) {
  return static_cast<HostBuffer *>(view.buffer)->data + view.offset;
}

/// Copies rows; overlapping memory is not allowed.
void copyRows(std::byte *to, const std::byte *from, const CopyShape &shape);

} // namespace smp

#endif // SMP_DRIVERS_HOST_MEMORY_H
