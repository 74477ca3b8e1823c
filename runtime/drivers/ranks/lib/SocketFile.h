// SPDX-License-Identifier: Apache-2.0
// The file of a Unix socket.

#ifndef SMP_DRIVERS_RANKS_SOCKETFILE_H
#define SMP_DRIVERS_RANKS_SOCKETFILE_H

#include "smp/base/Status.h"
#include <sys/types.h>

namespace smp {

/// A path that a socket listens at; removed with its owner, if it is still the
/// same file. At no time can another user connect. Where there is a file, it is
/// replaced only if it is a socket that nobody serves: all others are left. The
/// socket listens before it has the path, so that nobody takes it for such a
/// one.
class SocketFile {
public:
  SocketFile() = default;
  static StatusOr<SocketFile> listen(int socket, const std::string &path);
  SocketFile(SocketFile &&other) noexcept { *this = std::move(other); }
  SocketFile &operator=(SocketFile &&other) noexcept;
  ~SocketFile() { remove(); }

private:
  Status take(const std::string &made);
  Status moveTo(const std::string &place);
  void remove();
  std::string path; // Empty: none.
  dev_t device = 0;
  ino_t node = 0;
};

/// An error unless the process at the other end of a connected Unix socket is
/// of this process's user, or of root.
Status checkUserOf(int socket);
/// "process 12 of user 1000": who is there.
std::string describeProcessOf(int socket);

} // namespace smp

#endif // SMP_DRIVERS_RANKS_SOCKETFILE_H
