// SPDX-License-Identifier: Apache-2.0
#include "SpecialFile.h"
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace smp {

static OpenedFile failed(int error) { return {-1, error}; }

OpenedFile openDevice(const std::string &path) {
  // Cutting does nothing to a device.
  const int file =
      ::open(path.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC | O_NOCTTY);
  return file >= 0 ? OpenedFile{file} : failed(errno);
}

OpenedFile openFifo(const std::string &path, double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  // The kernel tells nobody that a reader has come, and opening as usual waits
  // without an end.
  for (;;) {
    const int file =
        ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file >= 0) {
      ::fcntl(file, F_SETFL, ::fcntl(file, F_GETFL) & ~O_NONBLOCK);
      return {file};
    }
    if (errno != ENXIO && errno != EINTR)
      return failed(errno);
    if (std::chrono::duration<double>(Clock::now() - start).count() >= seconds)
      return failed(ETIMEDOUT);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

static OpenedFile connectTo(int file, const sockaddr_un &address,
                            double seconds) {
  // Connecting waits while the listener has too many to accept.
  timeval limit{time_t(seconds), suseconds_t(seconds * 1e6) % 1000000};
  if (seconds <= 0)
    limit.tv_usec = 1; // 0 would be for ever.
  ::setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  const auto *plain = reinterpret_cast<const sockaddr *>(&address);
  while (::connect(file, plain, sizeof(address)) != 0)
    if (errno != EINTR)
      return failed(errno == EAGAIN ? ETIMEDOUT : errno);
  limit = {};
  ::setsockopt(file, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
  return {file};
}

OpenedFile connectSocket(const std::string &path, double seconds) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof(address.sun_path))
    return failed(ENAMETOOLONG);
  std::memcpy(address.sun_path, path.data(), path.size());
  const int file = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (file < 0)
    return failed(errno);
  const OpenedFile opened = connectTo(file, address, seconds);
  if (opened.descriptor < 0)
    ::close(file);
  return opened;
}

} // namespace smp
