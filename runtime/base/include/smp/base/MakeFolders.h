// SPDX-License-Identifier: Apache-2.0
// Making folders so that they outlive the machine.

#ifndef SMP_BASE_MAKEFOLDERS_H
#define SMP_BASE_MAKEFOLDERS_H

#include "smp/base/FileSystem.h"

namespace smp {

/// Ok when `error`, a number of errno, is 0; else that `what` cannot be done to
/// the path.
Status failedTo(const char *what, const std::string &path, int error);

/// Makes the folder, and those above it that are missing. Each outlives a power
/// cut in the one above it before anything is made in it; who made one that is
/// there may have been killed before that.
Status makeFolders(FileSystem &files, const std::string &path);

} // namespace smp

#endif // SMP_BASE_MAKEFOLDERS_H
