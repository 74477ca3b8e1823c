// SPDX-License-Identifier: Apache-2.0
#include "Connection.h"
#include "SocketAddress.h"
#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <sys/uio.h>

namespace smp {

using Clock = std::chrono::steady_clock;

int pollTime(Deadline deadline, int most) {
  if (!deadline)
    return most;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      *deadline - Clock::now());
  return int(std::max<int64_t>(0, std::min<int64_t>(most, left.count() + 1)));
}

bool isPast(Deadline deadline) { return deadline && Clock::now() >= *deadline; }

/// What a call that moved nothing means.
static StatusOr<size_t> nothingMoved(const char *what) {
  if (errno == EAGAIN || errno == EINTR)
    return size_t(0);
  if (errno == ECONNRESET || errno == EPIPE)
    return unavailable("the connection was closed");
  return systemError(what);
}

StatusOr<size_t> sendSome(int socket, std::span<const std::byte> bytes) {
  const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  return sent < 0 ? nothingMoved("sending") : StatusOr<size_t>(size_t(sent));
}

StatusOr<size_t> receiveSome(int socket, std::span<std::byte> bytes) {
  const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
  if (got == 0)
    return unavailable("the connection was closed");
  return got < 0 ? nothingMoved("receiving") : StatusOr<size_t>(size_t(got));
}

namespace {

class FrameSender {
public:
  FrameSender(int socket, Deadline deadline, const StillWanted &stillWanted)
      : socket(socket), deadline(deadline), stillWanted(stillWanted) {}
  Status send(std::span<iovec> parts);
  FrameFate fate = FrameFate::NotBegun;

private:
  Status waitForRoom();

  int socket;
  Deadline deadline;
  const StillWanted &stillWanted;
  Clock::time_point moved; // When the other side took something last.
};

} // namespace

Status FrameSender::waitForRoom() {
  constexpr auto kMoreTime = std::chrono::seconds(1);
  while (true) {
    if (Status wanted = stillWanted();
        !wanted.ok() &&
        (fate == FrameFate::NotBegun || Clock::now() > moved + kMoreTime))
      return wanted;
    pollfd ready{socket, POLLOUT, 0};
    if (poll(&ready, 1, pollTime(deadline, 100)) > 0)
      return Status();
    if (isPast(deadline))
      return Status(StatusCode::DeadlineExceeded,
                    "the other side took nothing in time");
  }
}

Status FrameSender::send(std::span<iovec> parts) {
  while (!parts.empty()) {
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (sent < 0) {
      if (StatusOr<size_t> nothing = nothingMoved("sending"); !nothing.ok()) {
        fate = FrameFate::Broken;
        return nothing.status();
      }
      SMP_RETURN_IF_ERROR(waitForRoom());
      continue;
    }
    fate = FrameFate::Cut; // Until all of it is sent.
    moved = Clock::now();
    size_t left = size_t(sent);
    while (!parts.empty() && left >= parts.front().iov_len) {
      left -= parts.front().iov_len;
      parts = parts.subspan(1);
    }
    if (!parts.empty()) {
      parts.front().iov_base =
          static_cast<std::byte *>(parts.front().iov_base) + left;
      parts.front().iov_len -= left;
    }
  }
  fate = FrameFate::Sent;
  return Status();
}

Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline,
                 const StillWanted &stillWanted, FrameFate &fate) {
  std::array<std::byte, FrameHeader::kBytes> head;
  header.encode(head);
  iovec parts[] = {{head.data(), head.size()},
                   {const_cast<std::byte *>(bytes.data()), bytes.size()}};
  FrameSender sender(socket, deadline, stillWanted);
  Status status = sender.send(parts);
  fate = sender.fate;
  return status;
}

Status sendFrame(int socket, const FrameHeader &header,
                 std::span<const std::byte> bytes, Deadline deadline) {
  FrameFate fate;
  return sendFrame(
      socket, header, bytes, deadline, [] { return Status(); }, fate);
}

} // namespace smp
