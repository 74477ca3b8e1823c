// SPDX-License-Identifier: Apache-2.0
// Ranks and others that connect to them, over the sockets of this machine.

#ifndef SMP_TESTS_UNIT_DRIVERS_RANKS_SOCKETS_H
#define SMP_TESTS_UNIT_DRIVERS_RANKS_SOCKETS_H

#include "Connection.h"
#include "Listener.h"
#include "Talk.h"
#include "TemporaryFolder.h"
#include "smp/drivers/ranks/Communicators.h"
#include <gtest/gtest.h>
#include <thread>

namespace smp::test {

using Connected = StatusOr<std::unique_ptr<Communicator>>;

inline std::vector<Connected> notConnected(uint32_t size) {
  std::vector<Connected> all;
  for (uint32_t rank = 0; rank < size; ++rank)
    all.emplace_back(unavailable("not yet"));
  return all;
}

/// Connects to a rank that is about to listen; blocks from then on.
inline Descriptor connectAsAnybody(const std::string &address) {
  auto found = resolve(SocketAddress::parse(address).take(), Lookup::ToConnect);
  EXPECT_TRUE(found.ok()) << found.status().message();
  const RawAddress raw = found->front();
  while (true) {
    Descriptor socket(::socket(raw.family(), SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (connect(socket.get(), raw.get(), raw.size) == 0)
      return socket;
    std::this_thread::yield();
  }
}

/// Connects as rank 1 of 2 and is taken for it; what it says then is up to the
/// test.
inline Descriptor connectAsRank1(const SocketOptions &options) {
  const Introduction self = Introduction::of(options);
  Talk talk(connectAsAnybody(options.address),
            Handshake::call(self, drawNumber().take(), 0, ""));
  while (!talk.handshake().over())
    EXPECT_TRUE(talk.advance().ok());
  EXPECT_TRUE(talk.handshake().isWelcome())
      << talk.handshake().status().message();
  return talk.take();
}

/// All `bytes`, on a socket that blocks.
inline void receiveAll(const Descriptor &from, std::span<std::byte> bytes) {
  ASSERT_EQ(recv(from.get(), bytes.data(), bytes.size(), MSG_WAITALL),
            ssize_t(bytes.size()));
}

inline void sendHeader(const Descriptor &to, const FrameHeader &header) {
  std::array<std::byte, FrameHeader::kBytes> bytes;
  header.encode(bytes);
  EXPECT_EQ(send(to.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            ssize_t(bytes.size()));
}

/// The other side has closed, with or without a last word.
inline bool isClosed(const Descriptor &socket) {
  std::byte bytes[512];
  ssize_t got;
  while ((got = recv(socket.get(), bytes, sizeof(bytes), 0)) > 0) {
  }
  return got == 0 || errno == ECONNRESET;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_DRIVERS_RANKS_SOCKETS_H
