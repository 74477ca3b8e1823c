// SPDX-License-Identifier: Apache-2.0
#include "FolderFiles.h"
#include "smp/base/AtomicFile.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace smp {

std::string paddedNumber(uint64_t number, size_t width) {
  const std::string text = std::to_string(number);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

static int makeFolders(FileSystem &files, const std::string &folder) {
  int error = files.makeFolder(folder);
  if (error == ENOENT) {
    error = makeFolders(files, parentFolder(folder));
    error = error ? error : files.makeFolder(folder);
  }
  return error == EEXIST ? 0 : error;
}

Status writeWithFolders(const std::string &path,
                        std::span<const std::byte> bytes, FileSystem &files) {
  const std::string folder = parentFolder(path);
  if (const int error = makeFolders(files, folder))
    return unavailable("cannot make the folder '" + folder +
                       "': " + std::strerror(error));
  return writeFile(path, bytes, files);
}

} // namespace smp
