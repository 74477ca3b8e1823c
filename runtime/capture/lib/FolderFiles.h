// SPDX-License-Identifier: Apache-2.0
// Files of steps in folders that are made when they are needed.

#ifndef SMP_CAPTURE_FOLDERFILES_H
#define SMP_CAPTURE_FOLDERFILES_H

#include "smp/base/FileSystem.h"

namespace smp {

/// The number with as many zeros before it as it needs for `width` digits.
std::string paddedNumber(uint64_t number, size_t width);

/// Writes a whole file, and makes the folders above it that are missing.
Status writeWithFolders(const std::string &path,
                        std::span<const std::byte> bytes, FileSystem &files);

} // namespace smp

#endif // SMP_CAPTURE_FOLDERFILES_H
