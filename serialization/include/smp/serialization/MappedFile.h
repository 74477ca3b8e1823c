// SPDX-License-Identifier: Apache-2.0
// A file's bytes, read through the page cache without a copy.

#ifndef SMP_SERIALIZATION_MAPPEDFILE_H
#define SMP_SERIALIZATION_MAPPEDFILE_H

#include "smp/base/Status.h"
#include <span>

namespace smp {

/// A read-only mapping. The file must not be cut while it is mapped: the system
/// ends a process that reads beyond the end. AtomicFile never cuts one.
class MappedFile {
public:
  static StatusOr<MappedFile> open(const std::string &path);
  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept;
  MappedFile &operator=(MappedFile &&other) noexcept;
  ~MappedFile();

  /// Starts at a page boundary; stays where it is when the object is moved.
  std::span<const std::byte> bytes() const { return mapping; }

private:
  std::span<const std::byte> mapping; ///< Owned.
};

} // namespace smp

#endif // SMP_SERIALIZATION_MAPPEDFILE_H
