// SPDX-License-Identifier: Apache-2.0
#include "smp/base/MakeFolders.h"
#include <cerrno>
#include <cstring>

namespace smp {

Status failedTo(const char *what, const std::string &path, int error) {
  if (error == 0)
    return Status();
  std::string message = "cannot ";
  for (const char *part : std::initializer_list<const char *>{
           what, " '", path.c_str(), "': ", std::strerror(error)})
    message += part;
  return unavailable(std::move(message));
}

static int make(FileSystem &files, const std::string &path) {
  const std::string above = parentFolder(path);
  const int found = files.syncFolder(path);
  if (found == ENOENT && above != path) {
    if (const int error = make(files, above))
      return error;
    if (const int error = files.makeFolder(path); error && error != EEXIST)
      return error;
    return files.syncFolder(above);
  }
  if (found != 0)
    return found;
  // Of a folder that others made we need not be allowed to see where it is.
  const int synced = files.syncFolder(above);
  return synced == EACCES ? 0 : synced;
}

Status makeFolders(FileSystem &files, const std::string &path) {
  return failedTo("make the folder", path, make(files, path));
}

} // namespace smp
