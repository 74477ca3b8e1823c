// SPDX-License-Identifier: Apache-2.0
#include "SocketRanks.h"
#include "Farewell.h"
#include "SocketAddress.h"
#include <cassert>
#include <cstdio>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace smp {

SocketRanks::SocketRanks(const SocketOptions &options,
                         std::vector<Descriptor> connections)
    : lanes(options.rank, options.size), self(options.rank),
      deadlineSeconds(options.deadlineSeconds), log(options.log),
      peers(options.size), wakeUp(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (uint32_t i = 0; i < options.size; ++i) {
    peers[i].connection = std::move(connections[i]);
    if (i != self)
      peers[i].frames.emplace(
          [this, i](const FrameHeader &header) { return accept(i, header); });
  }
}

SocketRanks::~SocketRanks() {
  if (!isHere())
    return; // The connections are those of the process that was forked.
  stopReader();
}

void SocketRanks::stopReader() {
  closing = true;
  const uint64_t one = 1;
  (void)!write(wakeUp.get(), &one, sizeof(one));
  reader.reset();
}

void SocketRanks::leave(const Mailbox &box) {
  stopReader();
  std::vector<int> sockets(size(), -1);
  for (uint32_t i = 0; i < size(); ++i)
    if (box.isReachable(i))
      sockets[i] = peers[i].connection.get();
  // Of an epoch that failed nothing is left that could be lost.
  const bool failed = box.hasFailed(box.epoch());
  const double seconds = failed                ? 1
                         : deadlineSeconds > 0 ? deadlineSeconds
                                               : 60;
  for (uint32_t i : takeLeave(sockets, box.epoch(), deadlineAfter(seconds)))
    if (log && !failed) {
      char line[128];
      std::snprintf(line, sizeof(line),
                    "rank %u did not hear in %g seconds that rank %u leaves; "
                    "what it was sent last may not have arrived",
                    i, seconds, self);
      log(LogLevel::Warning, line);
    }
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

/// The other side sees it too, and waits for nothing.
void SocketRanks::breakOff(uint32_t peer, const Status &why) {
  lanes.lose(peer, why);
  shutdown(peers[peer].connection.get(), SHUT_RDWR);
}

Status SocketRanks::send(uint32_t to, const FrameHeader &header,
                         std::span<const std::byte> bytes, Deadline deadline,
                         const StillWanted &stillWanted, FrameFate &fate) {
  Peer &peer = peers[to];
  std::lock_guard<std::mutex> hold(peer.sending);
  Status status = sendFrame(peer.connection.get(), header, bytes, deadline,
                            stillWanted, fate)
                      .in("rank " + std::to_string(to));
  if (fate == FrameFate::Cut)
    breakOff(to, status);
  return status;
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

Status SocketRanks::startReader() {
  if (!wakeUp.valid())
    return systemError("eventfd");
  SMP_ASSIGN_OR_RETURN(reader,
                       Thread::start("smp ranks", [this] { readerMain(); }));
  return Status();
}

/// Reads from whoever has something to say, while what came from it before is
/// not too much to hold.
void SocketRanks::readerMain() {
  constexpr uint64_t kMostHeld = uint64_t(1) << 30;
  constexpr int kFullWait = 5; // Milliseconds.
  std::vector<pollfd> files(peers.size() + 1);
  while (!closing) {
    bool full = false;
    for (uint32_t i = 0; i < peers.size(); ++i) {
      const bool isFull = lanes.waitingBytes(i) > kMostHeld;
      full |= isFull;
      files[i] = {peers[i].frames && !isFull ? peers[i].connection.get() : -1,
                  POLLIN, 0};
    }
    files.back() = {wakeUp.get(), POLLIN, 0};
    poll(files.data(), files.size(), full ? kFullWait : -1);
    for (uint32_t i = 0; i < peers.size() && !closing; ++i) {
      if (files[i].fd < 0 || !files[i].revents)
        continue;
      if (Status status = readSome(i); !status.ok()) {
        peers[i].frames.reset();
        breakOff(i, status.in("rank " + std::to_string(i) +
                              (status.code() == StatusCode::Unavailable
                                   ? " ended without taking its leave"
                                   : "")));
      }
    }
  }
}

/// Nothing is left to be read afterwards, or others have their turn.
Status SocketRanks::readSome(uint32_t from) {
  constexpr int kTurns = 64;
  Peer &peer = peers[from];
  for (int turn = 0; turn < kTurns && peer.frames; ++turn) {
    SMP_ASSIGN_OR_RETURN(const size_t got, receiveSome(peer.connection.get(),
                                                       peer.frames->room()));
    if (got == 0)
      return Status();
    SMP_ASSIGN_OR_RETURN(const bool whole, peer.frames->filled(got));
    if (whole)
      takeFrame(from);
  }
  return Status();
}

StatusOr<MessageBytes> SocketRanks::accept(uint32_t from,
                                           const FrameHeader &header) {
  SMP_ASSIGN_OR_RETURN(const auto box, lanes.find(header.lane));
  switch (header.kind) {
  case Kind::Data:
    return box->accept(from, header.tag, header.bytes);
  case Kind::Failure:
    if (header.bytes <= FrameHeader::kMostFailureBytes)
      return MessageBytes(header.bytes);
    break;
  case Kind::Bye:
    if (header.bytes == 0)
      return MessageBytes();
    break;
  case Kind::Table:
    break;
  }
  return dataLoss("sent a frame of kind " +
                  std::to_string(uint32_t(header.kind)) + " and " +
                  std::to_string(header.bytes) +
                  " bytes in the middle of a conversation");
}

void SocketRanks::takeFrame(uint32_t from) {
  Peer &peer = peers[from];
  const FrameHeader &header = peer.frames->header();
  MessageBytes bytes = peer.frames->takeBytes();
  const auto box = lanes.find(header.lane);
  assert(box.ok() && "a frame that was not accepted");
  switch (header.kind) {
  case Kind::Data:
    return (*box)->deliver(from, header.tag, std::move(bytes));
  case Kind::Failure:
    (*box)->fail(from, header.tag.epoch,
                 decodeFailure(bytes).in("rank " + std::to_string(from)));
    return;
  case Kind::Bye:
    if (header.lane != 0)
      return (*box)->leave(from, header.tag.epoch);
    // With this the other side hears that it was heard.
    lanes.leave(from, header.tag.epoch);
    shutdown(peer.connection.get(), SHUT_WR);
    peer.frames.reset();
    return;
  case Kind::Table:
    return; // Not accepted.
  }
}

} // namespace smp
