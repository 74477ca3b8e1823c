// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_BASE_LIB_DISKLOCK_H
#define SMP_BASE_LIB_DISKLOCK_H

#include "smp/base/FileSystem.h"

namespace smp {

/// FileSystem::lock() of the disk.
int lockOnDisk(const std::string &path, std::unique_ptr<FileLock> &lock,
               std::string &holder);

} // namespace smp

#endif // SMP_BASE_LIB_DISKLOCK_H
