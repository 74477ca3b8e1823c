// SPDX-License-Identifier: Apache-2.0
#include "Connection.h"
#include "Farewell.h"
#include "Mailbox.h"
#include "Rendezvous.h"
#include "SocketAddress.h"
#include "smp/device/Thread.h"
#include "smp/drivers/ranks/Communicators.h"
#include <cstdio>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace smp {

namespace {

class SocketCommunicator final : public Communicator {
public:
  SocketCommunicator(const SocketOptions &options,
                     std::vector<Descriptor> connections);
  ~SocketCommunicator() override;
  Status startReader();

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return uint32_t(peers.size()); }
  Status send(uint32_t to, MessageTag tag, std::span<const std::byte> bytes,
              Deadline deadline) override;
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    return box.receive(from, tag, bytes, deadline);
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    return box.receiveAny(from, tag, deadline);
  }
  void beginEpoch(uint64_t epoch) override { box.beginEpoch(epoch); }
  uint64_t epoch() const override { return box.epoch(); }
  void fail(uint64_t epoch, const Status &why) override;
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    box.planMessages(epoch, sizes);
  }
  uint64_t progress() const override {
    return box.progress() + sent.load(std::memory_order_relaxed);
  }
  std::string waits() const override;

private:
  using Kind = FrameHeader::Kind;
  struct Peer {
    Descriptor connection;
    std::mutex sending;
    std::atomic<uint32_t> senders{0};  // Those who hold it or wait for it.
    std::optional<FrameReader> frames; // Null: nothing more is read.
  };

  Status sendToSelf(MessageTag tag, std::span<const std::byte> bytes);
  Status sendTo(uint32_t to, const FrameHeader &header,
                std::span<const std::byte> bytes, Deadline deadline,
                const StillWanted &stillWanted, FrameFate &fate);
  void breakOff(uint32_t peer, const Status &why);
  void readerMain();
  Status readSome(uint32_t from);
  StatusOr<MessageBytes> accept(uint32_t from, const FrameHeader &header);
  void takeFrame(uint32_t from);

  const uint32_t self;
  const uint32_t forks = forkGeneration();
  const double deadlineSeconds;
  const LogSink log;
  Mailbox box;
  std::vector<Peer> peers;
  Descriptor wakeUp;
  std::atomic<uint64_t> sent{0};
  std::atomic<bool> closing{false};
  std::unique_ptr<Thread> reader;
};

} // namespace

SocketCommunicator::SocketCommunicator(const SocketOptions &options,
                                       std::vector<Descriptor> connections)
    : self(options.rank), deadlineSeconds(options.deadlineSeconds),
      log(options.log), box(options.rank, options.size), peers(options.size),
      wakeUp(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (uint32_t i = 0; i < options.size; ++i) {
    peers[i].connection = std::move(connections[i]);
    if (i != self)
      peers[i].frames.emplace(
          [this, i](const FrameHeader &header) { return accept(i, header); });
  }
}

SocketCommunicator::~SocketCommunicator() {
  if (forks != forkGeneration())
    return; // The connections are those of the process that was forked.
  closing = true;
  const uint64_t one = 1;
  (void)!write(wakeUp.get(), &one, sizeof(one));
  reader.reset();
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
void SocketCommunicator::breakOff(uint32_t peer, const Status &why) {
  box.lose(peer, why);
  shutdown(peers[peer].connection.get(), SHUT_RDWR);
}

/// A frame for another rank. Where the connection broke, `fate` says so, and
/// what the peer said before is still to be read.
Status SocketCommunicator::sendTo(uint32_t to, const FrameHeader &header,
                                  std::span<const std::byte> bytes,
                                  Deadline deadline,
                                  const StillWanted &stillWanted,
                                  FrameFate &fate) {
  Peer &peer = peers[to];
  ++peer.senders;
  std::lock_guard<std::mutex> hold(peer.sending);
  Status status = sendFrame(peer.connection.get(), header, bytes, deadline,
                            stillWanted, fate)
                      .in("rank " + std::to_string(to));
  --peer.senders;
  ++sent;
  if (fate == FrameFate::Cut)
    breakOff(to, status);
  return status;
}

Status SocketCommunicator::sendToSelf(MessageTag tag,
                                      std::span<const std::byte> bytes) {
  SMP_ASSIGN_OR_RETURN(MessageBytes copy, box.accept(self, tag, bytes.size()));
  copy.assign(bytes.begin(), bytes.end());
  box.deliver(self, tag, std::move(copy));
  return Status();
}

Status SocketCommunicator::send(uint32_t to, MessageTag tag,
                                std::span<const std::byte> bytes,
                                Deadline deadline) {
  SMP_RETURN_IF_ERROR(box.checkSize(to, tag, bytes.size()));
  SMP_ASSIGN_OR_RETURN(const bool isWanted, box.wants(to, tag.epoch));
  if (!isWanted)
    return Status();
  if (to == self)
    return sendToSelf(tag, bytes);
  FrameFate fate = FrameFate::NotBegun;
  Status status = sendTo(
      to, {Kind::Data, tag, bytes.size()}, bytes, deadline,
      [&] { return box.wants(to, tag.epoch).status(); }, fate);
  if (fate != FrameFate::Broken)
    return status;
  // Whether the peer had left before is in what it sent last: the reader
  // finds it.
  constexpr double kReadingSeconds = 5;
  return box
      .wantsAfterBreak(to, tag.epoch, status, deadlineAfter(kReadingSeconds))
      .status();
}

/// The others get the code and the message; those who cannot be told in a
/// second find out by their own deadline.
void SocketCommunicator::fail(uint64_t epoch, const Status &why) {
  if (!box.fail(self, epoch, why))
    return;
  const std::string text = encodeFailure(why);
  const FrameHeader header{Kind::Failure, {epoch, 0, 0}, text.size()};
  FrameFate fate;
  for (uint32_t to = 0; to < size(); ++to)
    if (to != self && box.isReachable(to))
      (void)sendTo(
          to, header, std::as_bytes(std::span(text)), deadlineAfter(1),
          [] { return Status(); }, fate);
}

std::string SocketCommunicator::waits() const {
  std::string text = box.waits();
  for (uint32_t to = 0; to < size(); ++to)
    if (peers[to].senders)
      text += (text.empty() ? "rank " : "; rank ") + std::to_string(self) +
              " waits for rank " + std::to_string(to) +
              " to take what it sends";
  return text;
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

Status SocketCommunicator::startReader() {
  if (!wakeUp.valid())
    return systemError("eventfd");
  SMP_ASSIGN_OR_RETURN(reader,
                       Thread::start("smp ranks", [this] { readerMain(); }));
  return Status();
}

/// Reads from whoever has something to say, while what came from it before is
/// not too much to hold.
void SocketCommunicator::readerMain() {
  constexpr uint64_t kMostHeld = uint64_t(1) << 30;
  constexpr int kFullWait = 5; // Milliseconds.
  std::vector<pollfd> files(peers.size() + 1);
  while (!closing) {
    bool full = false;
    for (uint32_t i = 0; i < peers.size(); ++i) {
      const bool isFull = box.waitingBytes(i) > kMostHeld;
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
Status SocketCommunicator::readSome(uint32_t from) {
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

StatusOr<MessageBytes> SocketCommunicator::accept(uint32_t from,
                                                  const FrameHeader &header) {
  switch (header.kind) {
  case Kind::Data:
    return box.accept(from, header.tag, header.bytes);
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

void SocketCommunicator::takeFrame(uint32_t from) {
  Peer &peer = peers[from];
  const FrameHeader &header = peer.frames->header();
  MessageBytes bytes = peer.frames->takeBytes();
  switch (header.kind) {
  case Kind::Data:
    return box.deliver(from, header.tag, std::move(bytes));
  case Kind::Failure:
    box.fail(from, header.tag.epoch,
             decodeFailure(bytes).in("rank " + std::to_string(from)));
    return;
  case Kind::Bye: // With this the other side hears that it was heard.
    box.leave(from, header.tag.epoch);
    shutdown(peer.connection.get(), SHUT_WR);
    peer.frames.reset();
    return;
  case Kind::Table:
    return; // Not accepted.
  }
}

StatusOr<std::unique_ptr<Communicator>>
connectSockets(const SocketOptions &options) {
  SMP_ASSIGN_OR_RETURN(std::vector<Descriptor> connections, meet(options));
  auto communicator =
      std::make_unique<SocketCommunicator>(options, std::move(connections));
  SMP_RETURN_IF_ERROR(communicator->startReader());
  return std::unique_ptr<Communicator>(std::move(communicator));
}

} // namespace smp
