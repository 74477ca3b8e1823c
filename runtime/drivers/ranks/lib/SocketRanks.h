// SPDX-License-Identifier: Apache-2.0
// The connections of one rank to all others, and what is read from them.

#ifndef SMP_DRIVERS_RANKS_SOCKETRANKS_H
#define SMP_DRIVERS_RANKS_SOCKETRANKS_H

#include "Connection.h"
#include "Descriptor.h"
#include "Lanes.h"
#include "smp/base/ProcessMark.h"
#include "smp/base/Thread.h"

namespace smp {

/// What all lanes of a rank share.
class SocketRanks {
public:
  SocketRanks(const SocketOptions &options,
              std::vector<Descriptor> connections);
  ~SocketRanks();
  Status startReader();

  uint32_t rank() const { return self; }
  uint32_t size() const { return uint32_t(peers.size()); }
  /// Whether this is the process that connected, and not one forked off it.
  bool isHere() const { return mark.isHere(); }

  /// A frame for another rank. Where the connection broke, `fate` says so, and
  /// what the peer said before is still to be read.
  Status send(uint32_t to, const FrameHeader &header,
              std::span<const std::byte> bytes, Deadline deadline,
              const StillWanted &stillWanted, FrameFate &fate);
  /// Takes leave in the epoch of lane 0, whose box it is: waits for the others
  /// to have all that they were sent.
  void leave(const Mailbox &box);

  Lanes lanes;

private:
  using Kind = FrameHeader::Kind;
  struct Peer {
    Descriptor connection;
    std::mutex sending;
    std::optional<FrameReader> frames; // Null: nothing more is read.
  };

  void breakOff(uint32_t peer, const Status &why);
  void readerMain();
  void stopReader();
  Status readSome(uint32_t from);
  StatusOr<MessageBytes> accept(uint32_t from, const FrameHeader &header);
  void takeFrame(uint32_t from);

  const uint32_t self;
  const ProcessMark mark;
  const double deadlineSeconds;
  const LogSink log;
  std::vector<Peer> peers;
  Descriptor wakeUp;
  std::atomic<bool> closing{false};
  std::unique_ptr<Thread> reader;
};

} // namespace smp

#endif // SMP_DRIVERS_RANKS_SOCKETRANKS_H
