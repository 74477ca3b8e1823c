// SPDX-License-Identifier: Apache-2.0
#include "smp/base/OutputPath.h"
#include "SpecialFile.h"
#include "smp/base/WriteAll.h"
#include <cerrno>
#include <charconv>
#include <climits>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace smp {

Status OutputPath::cannotWrite(const std::string &reason,
                               StatusCode code) const {
  std::string where = "'" + given + "'";
  if (path != given)
    where += ", which leads to '" + path + "'";
  return Status(code, "cannot write " + where + ": " + reason);
}

Status OutputPath::cannotWrite(int error) const {
  const bool full = error == ENOSPC || error == EDQUOT || error == EFBIG;
  return cannotWrite(std::strerror(error), full ? StatusCode::ResourceExhausted
                                                : StatusCode::Unavailable);
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// With the slash at its end; empty for the working folder.
static std::string folderOf(const std::string &path) {
  return path.substr(0, path.rfind('/') + 1);
}

/// What the link at `path` says, seen from the working folder; empty when it
/// cannot be read.
static std::string readLink(const std::string &path) {
  char text[PATH_MAX];
  const ssize_t size = ::readlink(path.c_str(), text, sizeof(text));
  if (size <= 0)
    return "";
  const std::string target(text, size_t(size));
  return target[0] == '/' ? target : folderOf(path) + target;
}

/// Whether the link stands for something open: it has no name that could be
/// given to something else.
static bool isOfProcess(const std::string &path) {
  struct statfs info;
  const std::string folder = folderOf(path);
  return ::statfs(folder.empty() ? "." : folder.c_str(), &info) == 0 &&
         info.f_type == PROC_SUPER_MAGIC;
}

/// The descriptor of this process that such a link stands for; else -1.
static int ownDescriptor(const std::string &path) {
  const std::string folder = folderOf(path), name = path.substr(folder.size());
  struct stat own, here;
  if (::stat("/proc/self/fd", &own) != 0 ||
      ::stat(folder.empty() ? "." : folder.c_str(), &here) != 0 ||
      own.st_dev != here.st_dev || own.st_ino != here.st_ino)
    return -1;
  int number = -1;
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

StatusOr<OutputPath> OutputPath::follow(const std::string &path) {
  OutputPath result(path);
  SMP_RETURN_IF_ERROR(result.followLinks());
  return result;
}

Status OutputPath::followLinks() {
  constexpr int kMostLinks = 40; // As the kernel has it.
  for (int links = 0; links <= kMostLinks; ++links) {
    if (::lstat(path.c_str(), &info) != 0)
      return errno == ENOENT && !path.empty() ? Status() : cannotWrite(errno);
    if (!S_ISLNK(info.st_mode))
      return classify();
    if (isOfProcess(path)) {
      kind = Kind::Special;
      descriptor = ownDescriptor(path);
      return ::stat(path.c_str(), &info) == 0 ? Status() : cannotWrite(errno);
    }
    path = readLink(path);
  }
  path = given;
  return cannotWrite(ELOOP);
}

Status OutputPath::classify() {
  if (S_ISDIR(info.st_mode))
    return cannotWrite(EISDIR);
  kind = S_ISREG(info.st_mode) ? Kind::Existing : Kind::Special;
  // Replacing takes no right to the file itself; writing does.
  if (kind == Kind::Existing &&
      ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    return cannotWrite(errno);
  return Status();
}

StatusOr<std::string> pathBeside(const std::string &path,
                                 const std::string &name) {
  SMP_ASSIGN_OR_RETURN(OutputPath output, OutputPath::follow(path));
  if (output.isSpecial())
    return invalidArgument("'" + name + "' would have to lie beside '" + path +
                           "', which is no file; name a file");
  return folderOf(path) + name;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

StatusOr<int> OutputPath::openSpecial(double peerSeconds) const {
  if (descriptor >= 0) {
    const int copy = ::fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    return copy >= 0 ? StatusOr<int>(copy) : cannotWrite(errno);
  }
  OpenedFile opened;
  if (S_ISFIFO(info.st_mode))
    opened = openFifo(path, peerSeconds);
  else if (S_ISSOCK(info.st_mode))
    opened = connectSocket(path, peerSeconds);
  else
    opened = openDevice(path);
  if (opened.descriptor >= 0)
    return opened.descriptor;
  if (opened.error != ETIMEDOUT)
    return cannotWrite(opened.error);
  const std::string who = S_ISFIFO(info.st_mode)
                              ? "reads this fifo"
                              : "takes what this socket gets";
  return cannotWrite("after " + std::to_string(int(peerSeconds)) +
                         " seconds nobody " + who +
                         "; start the reader first, or name a file",
                     StatusCode::DeadlineExceeded);
}

Status OutputPath::writeAll(int to, std::span<const std::byte> bytes) const {
  const int error = smp::writeAll(to, bytes);
  return error ? cannotWrite(error) : Status();
}

} // namespace smp
