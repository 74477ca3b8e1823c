// SPDX-License-Identifier: Apache-2.0
#include "Socket.h"
#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace smp {

Descriptor &Descriptor::operator=(Descriptor &&other) noexcept {
  reset();
  file = other.release();
  return *this;
}
void Descriptor::reset() {
  if (file >= 0)
    close(file);
  file = -1;
}
int Descriptor::release() {
  const int was = file;
  file = -1;
  return was;
}

static Status systemError(const std::string &what) {
  return unavailable(what + ": " + std::strerror(errno));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

StatusOr<SocketAddress> SocketAddress::parse(const std::string &text) {
  SocketAddress address;
  if (text.rfind("unix:", 0) == 0) {
    address.isUnix = true;
    address.host = text.substr(5);
    if (!address.host.empty() &&
        address.host.size() + 8 < sizeof(sockaddr_un::sun_path))
      return address;
  } else if (text.rfind("tcp:", 0) == 0) {
    const size_t colon = text.rfind(':');
    address.host = colon > 4 ? text.substr(4, colon - 4) : "";
    address.port = text.substr(colon + 1);
    if (!address.host.empty() && !address.port.empty())
      return address;
  }
  return invalidArgument("'" + text +
                         "' is no address of ranks; write tcp:host:port, or "
                         "unix:/path with a path of less than 100 bytes");
}

std::string SocketAddress::text() const {
  return isUnix ? "unix:" + host : "tcp:" + host + ":" + port;
}

/// An address as the system wants it.
struct RawAddress {
  sockaddr_storage storage = {};
  socklen_t size = 0;
};

static RawAddress unixAddress(const std::string &path) {
  RawAddress raw;
  auto &address = reinterpret_cast<sockaddr_un &>(raw.storage);
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  raw.size = sizeof(sockaddr_un);
  return raw;
}

static StatusOr<RawAddress> resolve(const SocketAddress &address,
                                    bool toListen) {
  if (address.isUnix)
    return unixAddress(address.host);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = toListen ? AI_PASSIVE : 0;
  addrinfo *found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  if (error)
    return unavailable(address.text() + ": " + gai_strerror(error));
  RawAddress raw;
  std::memcpy(&raw.storage, found->ai_addr, found->ai_addrlen);
  raw.size = found->ai_addrlen;
  freeaddrinfo(found);
  return raw;
}

static Descriptor openSocket(int family) {
  return Descriptor(
      socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

//===----------------------------------------------------------------------===//
// Connecting
//===----------------------------------------------------------------------===//

/// Milliseconds for poll(): at most `most`, less when the deadline is near.
static int pollTime(Deadline deadline, int most) {
  if (!deadline)
    return most;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *deadline - std::chrono::steady_clock::now());
  return int(std::max<int64_t>(0, std::min<int64_t>(most, left.count() + 1)));
}

static bool isPast(Deadline deadline) {
  return deadline && std::chrono::steady_clock::now() >= *deadline;
}

/// A path that nobody listens on is left over from a process that ended.
static bool isLeftOver(const RawAddress &raw) {
  Descriptor probe = openSocket(AF_UNIX);
  return connect(probe.get(), reinterpret_cast<const sockaddr *>(&raw.storage),
                 raw.size) != 0 &&
         errno == ECONNREFUSED;
}

StatusOr<Descriptor> listenOn(const SocketAddress &address) {
  StatusOr<RawAddress> raw = resolve(address, true);
  if (!raw.ok())
    return raw.status();
  Descriptor listener = openSocket(raw->storage.ss_family);
  const int yes = 1;
  setsockopt(listener.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  const auto *where = reinterpret_cast<const sockaddr *>(&raw->storage);
  int error = bind(listener.get(), where, raw->size);
  if (error && errno == EADDRINUSE && address.isUnix && isLeftOver(*raw)) {
    unlink(address.host.c_str());
    error = bind(listener.get(), where, raw->size);
  }
  if (error || listen(listener.get(), 128))
    return systemError("listening on " + address.text());
  return listener;
}

static void sendAtOnce(const Descriptor &connection) {
  const int yes = 1; // No effect on Unix sockets.
  setsockopt(connection.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
}

/// One attempt; the error's errno is kept.
static bool tryConnect(const Descriptor &connection, const RawAddress &raw,
                       Deadline deadline) {
  if (connect(connection.get(),
              reinterpret_cast<const sockaddr *>(&raw.storage), raw.size) == 0)
    return true;
  if (errno != EINPROGRESS && errno != EAGAIN)
    return false;
  pollfd ready{connection.get(), POLLOUT, 0};
  if (poll(&ready, 1, pollTime(deadline, 5000)) <= 0) {
    errno = ETIMEDOUT;
    return false;
  }
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(connection.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  errno = error;
  return error == 0;
}

StatusOr<Descriptor> connectTo(const SocketAddress &address,
                               Deadline deadline) {
  while (true) {
    StatusOr<RawAddress> raw = resolve(address, false);
    if (!raw.ok())
      return raw.status();
    Descriptor connection = openSocket(raw->storage.ss_family);
    if (tryConnect(connection, *raw, deadline)) {
      sendAtOnce(connection);
      return connection;
    }
    Status failed = systemError("connecting to " + address.text());
    if (isPast(deadline))
      return Status(StatusCode::DeadlineExceeded,
                    failed.message() + "; is rank 0 running?");
    poll(nullptr, 0, pollTime(deadline, 20));
  }
}

StatusOr<Descriptor> acceptFrom(const Descriptor &listener, Deadline deadline) {
  while (true) {
    pollfd ready{listener.get(), POLLIN, 0};
    poll(&ready, 1, pollTime(deadline, 1000));
    Descriptor connection(accept4(listener.get(), nullptr, nullptr,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (connection.valid()) {
      sendAtOnce(connection);
      return connection;
    }
    if (isPast(deadline))
      return Status(StatusCode::DeadlineExceeded, "nobody connected in time");
  }
}

static std::string hostOf(const sockaddr_storage &storage) {
  char text[INET6_ADDRSTRLEN] = {};
  if (storage.ss_family == AF_INET6)
    inet_ntop(AF_INET6,
              &reinterpret_cast<const sockaddr_in6 &>(storage).sin6_addr, text,
              sizeof(text));
  else
    inet_ntop(AF_INET, &reinterpret_cast<const sockaddr_in &>(storage).sin_addr,
              text, sizeof(text));
  return text;
}

static uint16_t portOf(const sockaddr_storage &storage) {
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6 &>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in &>(storage).sin_port);
}

StatusOr<SocketAddress> reachableAddress(const Descriptor &listener,
                                         const Descriptor &connection) {
  RawAddress here, port;
  here.size = port.size = sizeof(sockaddr_storage);
  if (getsockname(connection.get(), reinterpret_cast<sockaddr *>(&here.storage),
                  &here.size) ||
      getsockname(listener.get(), reinterpret_cast<sockaddr *>(&port.storage),
                  &port.size))
    return systemError("getsockname");
  SocketAddress address;
  address.host = hostOf(here.storage);
  address.port = std::to_string(portOf(port.storage));
  return address;
}

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

static constexpr uint32_t kMagic = 0x31504d53; // "SMP1"

static void putWord(std::byte *&to, uint64_t word, int bytes) {
  for (int i = 0; i < bytes; ++i)
    *to++ = std::byte(word >> (8 * i));
}
static uint64_t getWord(const std::byte *&from, int bytes) {
  uint64_t word = 0;
  for (int i = 0; i < bytes; ++i)
    word |= uint64_t(*from++) << (8 * i);
  return word;
}

void FrameHeader::encode(std::byte (&to)[kBytes]) const {
  std::byte *at = to;
  putWord(at, kMagic, 4);
  putWord(at, uint32_t(kind), 4);
  putWord(at, tag.epoch, 8);
  putWord(at, tag.key, 8);
  putWord(at, tag.index, 4);
  putWord(at, 0, 4);
  putWord(at, bytes, 8);
}

bool FrameHeader::decode(const std::byte (&from)[kBytes]) {
  const std::byte *at = from;
  const bool known = getWord(at, 4) == kMagic;
  const auto number = uint32_t(getWord(at, 4));
  kind = Kind(number);
  tag.epoch = getWord(at, 8);
  tag.key = getWord(at, 8);
  tag.index = uint32_t(getWord(at, 4));
  const bool zero = getWord(at, 4) == 0;
  bytes = getWord(at, 8);
  return known && zero && number >= 1 && number <= 4 && bytes <= kMostBytes;
}

/// Waits until the socket is ready or something ends the wait.
static Status waitFor(int socket, short what, Deadline deadline,
                      const StillWanted &stillWanted) {
  while (true) {
    SMP_RETURN_IF_ERROR(stillWanted());
    pollfd ready{socket, what, 0};
    if (poll(&ready, 1, pollTime(deadline, 100)) > 0)
      return Status();
    if (isPast(deadline))
      return Status(StatusCode::DeadlineExceeded,
                    "the other side took nothing in time");
  }
}

Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline,
                 const StillWanted &stillWanted, bool &started) {
  std::byte head[FrameHeader::kBytes];
  header.encode(head);
  iovec parts[2] = {{head, sizeof(head)},
                    {const_cast<std::byte *>(bytes.data()), bytes.size()}};
  started = false;
  for (size_t part = 0; part < 2;) {
    msghdr message = {};
    message.msg_iov = parts + part;
    message.msg_iovlen = 2 - part;
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR)
        continue;
      if (errno != EAGAIN)
        return systemError("sending");
      SMP_RETURN_IF_ERROR(waitFor(socket, POLLOUT, deadline, stillWanted));
      continue;
    }
    started = true;
    size_t left = size_t(sent);
    while (part < 2 && left >= parts[part].iov_len)
      left -= parts[part++].iov_len;
    if (part < 2) {
      parts[part].iov_base =
          static_cast<std::byte *>(parts[part].iov_base) + left;
      parts[part].iov_len -= left;
    }
  }
  return Status();
}

Status receiveBytes(int socket, std::span<std::byte> bytes, Deadline deadline,
                    const StillWanted &stillWanted) {
  while (!bytes.empty()) {
    const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
    if (got > 0) {
      bytes = bytes.subspan(size_t(got));
      continue;
    }
    if (got == 0)
      return unavailable("the connection was closed");
    if (errno == EINTR)
      continue;
    if (errno != EAGAIN)
      return systemError("receiving");
    SMP_RETURN_IF_ERROR(waitFor(socket, POLLIN, deadline, stillWanted));
  }
  return Status();
}

} // namespace smp
