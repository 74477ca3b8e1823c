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

/// Makes a file that has nothing in it, with folders on the way, or leaves the
/// one that is there: it is whole from the start, so that no name of its own
/// can be left behind for it. It outlives a power cut.
Status makeMark(const std::string &path, FileSystem &files);

} // namespace smp

#endif // SMP_CAPTURE_FOLDERFILES_H
