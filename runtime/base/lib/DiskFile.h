// SPDX-License-Identifier: Apache-2.0
// Files of the disk that are being written.

#ifndef SMP_BASE_LIB_DISKFILE_H
#define SMP_BASE_LIB_DISKFILE_H

#include "smp/base/FileSystem.h"

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

/// Collects what is written one after the other into aligned pieces, which pass
/// by the page cache. The rest, which is less than a piece, goes through it, as
/// does everything where the file system refuses.
class DirectFile : public DiskFile {
public:
  using DiskFile::DiskFile;
  int write(uint64_t offset, std::span<const std::byte> bytes) override;
  int sync() override;

private:
  /// What file systems want the ends of a direct write to be multiples of.
  struct alignas(4096) Block {
    std::byte bytes[4096];
  };
  static constexpr size_t kPieceBytes = 1 << 20;

  int writeOut();
  bool setDirect(bool wanted);
  std::byte *collected() { return reinterpret_cast<std::byte *>(piece.get()); }

  std::unique_ptr<Block[]> piece;
  uint64_t start = 0; // Of the piece in the file.
  size_t filled = 0;
  bool isDirect = false, refused = false;
};

} // namespace smp

#endif // SMP_BASE_LIB_DISKFILE_H
