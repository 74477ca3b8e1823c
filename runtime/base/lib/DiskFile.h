// SPDX-License-Identifier: Apache-2.0
// Files of the disk that are open.

#ifndef SMP_BASE_LIB_DISKFILE_H
#define SMP_BASE_LIB_DISKFILE_H

#include "smp/base/FileSystem.h"
#include <atomic>

namespace smp {

/// Writes through the page cache.
class DiskFile : public WritableFile {
public:
  explicit DiskFile(int descriptor) : descriptor(descriptor) {}
  ~DiskFile() override;
  int write(uint64_t offset, std::span<const std::byte> bytes) override;
  int sync() override;

protected:
  const int descriptor; // Owned.
};

/// What is large and aligned passes by the page cache, until the file system
/// refuses; the rest goes through it.
class DirectFile : public DiskFile {
public:
  /// Of the same file; the second one is of O_DIRECT, or -1.
  DirectFile(int descriptor, int direct)
      : DiskFile(descriptor), direct(direct), isDirect(direct >= 0) {}
  ~DirectFile() override;
  void reserve(uint64_t bytes) override;
  int write(uint64_t offset, std::span<const std::byte> bytes) override;

private:
  const int direct; // Owned.
  std::atomic<bool> isDirect;
};

/// The other way round; `direct` may be -1.
class DiskReader : public ReadableFile {
public:
  DiskReader(int descriptor, int direct, uint64_t size)
      : descriptor(descriptor), direct(direct), bytes(size) {}
  ~DiskReader() override;
  uint64_t size() const override { return bytes; }
  int read(uint64_t offset, std::span<std::byte> bytes) override;

private:
  const int descriptor, direct; // Owned.
  const uint64_t bytes;
};

} // namespace smp

#endif // SMP_BASE_LIB_DISKFILE_H
