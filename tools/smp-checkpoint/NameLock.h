// SPDX-License-Identifier: Apache-2.0
// Keeps managers away from a name while it lives.

#ifndef SMP_TOOLS_SMP_CHECKPOINT_NAMELOCK_H
#define SMP_TOOLS_SMP_CHECKPOINT_NAMELOCK_H

#include "smp/base/FileSystem.h"

namespace smp {

class NameLock {
public:
  /// Borrows `files`.
  explicit NameLock(FileSystem &files) : files(files) {}
  ~NameLock();
  NameLock(const NameLock &) = delete;

  /// Of the manager whose checkpoints are called as this one: that of
  /// "run/ckpt" for "run/ckpt-3"; of none where no manager calls one so. A file
  /// system without locks has none to take. Fails while a manager saves.
  Status take(const std::string &prefix);

private:
  FileSystem &files;
  std::string path; // Of what is held; empty: nothing.
  std::unique_ptr<FileLock> held;
};

} // namespace smp

#endif // SMP_TOOLS_SMP_CHECKPOINT_NAMELOCK_H
