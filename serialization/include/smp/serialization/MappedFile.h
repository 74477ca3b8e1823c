// SPDX-License-Identifier: Apache-2.0
// A file's bytes, read through the page cache without a copy.

#ifndef SMP_SERIALIZATION_MAPPEDFILE_H
#define SMP_SERIALIZATION_MAPPEDFILE_H

#include "smp/base/FileSystem.h"

namespace smp {

/// A read-only mapping. The file must not be cut while it is mapped: the system
/// ends a process that reads beyond the end. AtomicFile never cuts one.
class MappedFile {
public:
  static StatusOr<MappedFile> open(const std::string &path,
                                   FileSystem &files = FileSystem::disk());
  MappedFile() = default;
  MappedFile(MappedFile &&) noexcept;
  MappedFile &operator=(MappedFile &&) noexcept;
  ~MappedFile();

  /// Starts at a page boundary; stays where it is when the object is moved.
  std::span<const std::byte> bytes() const { return mapping.bytes; }

private:
  FileBytes mapping;
};

} // namespace smp

#endif // SMP_SERIALIZATION_MAPPEDFILE_H
