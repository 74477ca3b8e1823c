// SPDX-License-Identifier: Apache-2.0
// A file that appears under its name complete, or not at all.

#ifndef SMP_SERIALIZATION_ATOMICFILE_H
#define SMP_SERIALIZATION_ATOMICFILE_H

#include "smp/base/Status.h"
#include <span>

namespace smp {

/// Written under a temporary name in the same folder. Only commit() gives it
/// its name; an AtomicFile that is destroyed before leaves nothing behind. A
/// message names the path and the system's reason.
class AtomicFile {
public:
  static StatusOr<AtomicFile> create(const std::string &path);
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Status write(std::span<const std::byte> bytes);
  /// Flushes to the disk and renames over what had the name before.
  Status commit();

private:
  AtomicFile(std::string path, std::string temporary, int descriptor);
  std::string path;
  std::string temporary; ///< Empty once it is gone.
  int descriptor;        ///< Owned; -1 once closed.
};

} // namespace smp

#endif // SMP_SERIALIZATION_ATOMICFILE_H
