// SPDX-License-Identifier: Apache-2.0
#include "SocketFile.h"
#include "Descriptor.h"
#include "KeyedDigest.h"
#include "SocketAddress.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

namespace smp {

//===----------------------------------------------------------------------===//
// A file that is there already
//===----------------------------------------------------------------------===//

/// Numbers of files are given again, but not with the same times.
static bool isSame(const struct stat &one, const struct stat &other) {
  return one.st_dev == other.st_dev && one.st_ino == other.st_ino &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
         one.st_mtim.tv_nsec == other.st_mtim.tv_nsec;
}

static const char *kindOf(mode_t mode) {
  if (S_ISREG(mode))
    return "a regular file";
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISLNK(mode))
    return "a symbolic link";
  return S_ISFIFO(mode) ? "a pipe" : "a device";
}

/// Whether somebody listens there.
static StatusOr<bool> isServed(const std::string &path) {
  const RawAddress raw = RawAddress::ofPath(path);
  Descriptor probe(
      socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (connect(probe.get(), raw.get(), raw.size) == 0 || errno == EAGAIN)
    return true;
  if (errno == ECONNREFUSED)
    return false;
  return systemError("looking who serves " + path);
}

/// Puts it aside before it is removed, so that what is removed is what was
/// looked at.
static Status removeLeftOver(const std::string &path) {
  struct stat found = {}, moved = {};
  if (lstat(path.c_str(), &found))
    return errno == ENOENT ? Status() : systemError(path);
  if (!S_ISSOCK(found.st_mode))
    return failedPrecondition("'" + path + "' is " + kindOf(found.st_mode) +
                              " and no socket; it is left as it is: give "
                              "another path, or remove it");
  SMP_ASSIGN_OR_RETURN(const bool served, isServed(path));
  if (served)
    return failedPrecondition("somebody listens at unix:" + path +
                              " already; give another path");
  const std::string aside = path + ".left-" + std::to_string(getpid());
  if (renameat2(AT_FDCWD, path.c_str(), AT_FDCWD, aside.c_str(),
                RENAME_NOREPLACE))
    return systemError("putting '" + path + "' aside");
  if (lstat(aside.c_str(), &moved) == 0 && isSame(found, moved)) {
    unlink(aside.c_str());
    return Status();
  }
  (void)renameat2(AT_FDCWD, aside.c_str(), AT_FDCWD, path.c_str(),
                  RENAME_NOREPLACE);
  return failedPrecondition("'" + path +
                            "' was made by another process just now; give "
                            "another path");
}

//===----------------------------------------------------------------------===//
// A new one
//===----------------------------------------------------------------------===//

/// In the same folder, and no longer than any path of a socket may be; nobody
/// else has it.
static StatusOr<std::string> nameBeside(const std::string &path) {
  SMP_ASSIGN_OR_RETURN(Digest number, drawNumber());
  uint32_t drawn = 0;
  std::memcpy(&drawn, number.data(), sizeof(drawn));
  char name[16];
  std::snprintf(name, sizeof(name), ".%08x", drawn);
  return path.substr(0, path.rfind('/') + 1) + name;
}

/// Takes the file at `made`, and makes it private: nobody connects before
/// listen(), so that is in time even where bind() does not take the mode from
/// the socket, as Linux does.
Status SocketFile::take(const std::string &made) {
  struct stat found = {};
  if (lstat(made.c_str(), &found))
    return systemError(made);
  path = made;
  device = found.st_dev;
  node = found.st_ino;
  constexpr mode_t kOwnersAlone = 0600, kPermissions = 0777;
  if ((found.st_mode & kPermissions) != kOwnersAlone &&
      chmod(made.c_str(), kOwnersAlone))
    return systemError("chmod 600 " + made);
  return Status();
}

/// Gives it the path that others know, if that is free or can be made so.
Status SocketFile::moveTo(const std::string &place) {
  int error = link(path.c_str(), place.c_str());
  if (error && errno == EEXIST) {
    SMP_RETURN_IF_ERROR(removeLeftOver(place));
    error = link(path.c_str(), place.c_str());
  }
  if (error)
    return systemError("making the socket '" + place + "'");
  unlink(path.c_str());
  path = place;
  return Status();
}

StatusOr<SocketFile> SocketFile::listen(int socket, const std::string &path) {
  SMP_ASSIGN_OR_RETURN(std::string name, nameBeside(path));
  const RawAddress raw = RawAddress::ofPath(name);
  fchmod(socket, 0600);
  if (::bind(socket, raw.get(), raw.size))
    return systemError("making the socket '" + path + "'");
  SocketFile file;
  SMP_RETURN_IF_ERROR(file.take(name));
  constexpr int kWaiting = 128;
  if (::listen(socket, kWaiting))
    return systemError("listening on unix:" + path);
  SMP_RETURN_IF_ERROR(file.moveTo(path));
  return file;
}

SocketFile &SocketFile::operator=(SocketFile &&other) noexcept {
  remove();
  path = std::exchange(other.path, std::string());
  device = other.device;
  node = other.node;
  return *this;
}

void SocketFile::remove() {
  struct stat now = {};
  if (!path.empty() && lstat(path.c_str(), &now) == 0 &&
      S_ISSOCK(now.st_mode) && now.st_dev == device && now.st_ino == node)
    unlink(path.c_str());
  path.clear();
}

//===----------------------------------------------------------------------===//
// Who is at the other end
//===----------------------------------------------------------------------===//

Status checkUserOf(int socket) {
  ucred other = {};
  socklen_t size = sizeof(other);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size))
    return systemError("SO_PEERCRED");
  if (other.uid == geteuid() || other.uid == 0)
    return Status();
  return unavailable("it is a process of user " + std::to_string(other.uid) +
                     ", not of user " + std::to_string(geteuid()));
}

std::string describeProcessOf(int socket) {
  ucred other = {};
  socklen_t size = sizeof(other);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size))
    return "a process";
  return "process " + std::to_string(other.pid) + " of user " +
         std::to_string(other.uid);
}

} // namespace smp
