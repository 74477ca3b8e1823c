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

static Status makeFolderOf(const std::string &path, FileSystem &files) {
  const std::string folder = parentFolder(path);
  const int error = makeFolders(files, folder);
  return error ? unavailable("cannot make the folder '" + folder +
                             "': " + std::strerror(error))
               : Status();
}

Status writeWithFolders(const std::string &path,
                        std::span<const std::byte> bytes, FileSystem &files) {
  SMP_RETURN_IF_ERROR(makeFolderOf(path, files));
  return writeFile(path, bytes, files);
}

Status makeMark(const std::string &path, FileSystem &files) {
  SMP_RETURN_IF_ERROR(makeFolderOf(path, files));
  std::unique_ptr<WritableFile> file;
  int error = files.make(path, nullptr, file);
  if (error == 0 || error == EEXIST)
    error = files.syncFolder(parentFolder(path));
  return error ? unavailable("cannot write '" + path +
                             "': " + std::strerror(error))
               : Status();
}

} // namespace smp
