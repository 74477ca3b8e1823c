// SPDX-License-Identifier: Apache-2.0
#include "Farewell.h"
#include "Connection.h"
#include <poll.h>
#include <sys/socket.h>

namespace smp {

namespace {

/// One connection that comes to its end.
class Leaving {
public:
  Leaving(int socket, uint64_t epoch) : socket(socket) {
    FrameHeader header;
    header.kind = FrameHeader::Kind::Bye;
    header.tag.epoch = epoch;
    header.encode(bye);
  }

  bool isOver() const { return socket < 0; }
  pollfd waitsFor() const {
    return {socket, short(said < bye.size() ? POLLIN | POLLOUT : POLLIN), 0};
  }
  /// Does what goes without waiting.
  void advance();

private:
  int socket;
  size_t said = 0;
  std::array<std::byte, FrameHeader::kBytes> bye;
};

} // namespace

void Leaving::advance() {
  if (said < bye.size()) {
    StatusOr<size_t> sent = sendSome(socket, std::span(bye).subspan(said));
    if (sent.ok())
      said += *sent;
    if (!sent.ok() || said == bye.size()) {
      said = bye.size();
      shutdown(socket, SHUT_WR);
    }
  }
  std::array<std::byte, 1 << 16> dropped;
  StatusOr<size_t> got = receiveSome(socket, dropped);
  if (!got.ok())
    socket = -1;
}

std::vector<uint32_t> takeLeave(std::span<const int> sockets, uint64_t epoch,
                                Deadline deadline) {
  std::vector<Leaving> all;
  for (int socket : sockets)
    all.emplace_back(socket, epoch);
  std::vector<uint32_t> left;
  std::vector<pollfd> files;
  while (true) {
    left.clear();
    files.clear();
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (!all[i].isOver())
        all[i].advance();
      if (all[i].isOver())
        continue;
      left.push_back(i);
      files.push_back(all[i].waitsFor());
    }
    if (left.empty() || isPast(deadline))
      return left;
    poll(files.data(), files.size(), pollTime(deadline, 1000));
  }
}

} // namespace smp
