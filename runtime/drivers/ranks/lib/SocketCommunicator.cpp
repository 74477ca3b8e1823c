// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include "Rendezvous.h"
#include "smp/device/Thread.h"
#include "smp/drivers/ranks/Communicators.h"
#include <cstring>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace smp {

namespace {

class SocketCommunicator final : public Communicator {
public:
  SocketCommunicator(const SocketOptions &options,
                     std::vector<Descriptor> connections)
      : self(options.rank), box(options.rank, options.size),
        peers(options.size), wakeUp(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    for (uint32_t i = 0; i < options.size; ++i)
      peers[i].connection = std::move(connections[i]);
  }
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
  uint64_t progress() const override {
    return box.progress() + sent.load(std::memory_order_relaxed);
  }
  std::string waits() const override { return box.waits(); }

private:
  struct Peer {
    Descriptor connection;
    std::mutex sending;
    bool open = true; // The reader's.
  };
  using Kind = FrameHeader::Kind;

  Status sendTo(uint32_t to, Kind kind, MessageTag tag,
                std::span<const std::byte> bytes, Deadline deadline,
                const StillWanted &stillWanted);
  void readerMain();
  void readFrame(uint32_t from);
  Status readFrameBody(uint32_t from, const FrameHeader &header);

  uint32_t self;
  Mailbox box;
  std::vector<Peer> peers;
  Descriptor wakeUp;
  std::atomic<uint64_t> sent{0};
  std::atomic<bool> closing{false};
  std::unique_ptr<Thread> reader;
};

} // namespace

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

Status SocketCommunicator::sendTo(uint32_t to, Kind kind, MessageTag tag,
                                  std::span<const std::byte> bytes,
                                  Deadline deadline,
                                  const StillWanted &stillWanted) {
  FrameHeader header{kind, tag, bytes.size()};
  Peer &peer = peers[to];
  std::lock_guard<std::mutex> hold(peer.sending);
  bool started = false;
  Status status = sendFrame(peer.connection.get(), header, bytes, deadline,
                            stillWanted, started);
  ++sent;
  if (status.ok())
    return status;
  status = status.in("rank " + std::to_string(to));
  if (started || status.code() == StatusCode::Unavailable)
    box.lose(to, status);
  return status;
}

Status SocketCommunicator::send(uint32_t to, MessageTag tag,
                                std::span<const std::byte> bytes,
                                Deadline deadline) {
  auto stillWanted = [&] { return box.sendable(to, tag.epoch); };
  SMP_RETURN_IF_ERROR(stillWanted());
  if (to == self) {
    box.deliver(self, tag, MessageBytes(bytes.begin(), bytes.end()));
    return Status();
  }
  return sendTo(to, Kind::Data, tag, bytes, deadline, stillWanted);
}

/// The others get the code and the message; those who cannot be told in a
/// second find out by their own deadline.
void SocketCommunicator::fail(uint64_t epoch, const Status &why) {
  if (!box.fail(epoch, why))
    return;
  const std::string text = char('0' + int(why.code())) + why.message();
  for (uint32_t to = 0; to < size(); ++to)
    if (to != self && box.sendable(to, ~uint64_t(0)).ok())
      (void)sendTo(to, Kind::Failure, {epoch, 0, 0},
                   std::as_bytes(std::span(text)), deadlineAfter(1),
                   [] { return Status(); });
}

SocketCommunicator::~SocketCommunicator() {
  for (uint32_t to = 0; to < size(); ++to)
    if (to != self && box.sendable(to, ~uint64_t(0)).ok())
      (void)sendTo(to, Kind::Bye, {}, {}, deadlineAfter(1),
                   [] { return Status(); });
  closing = true;
  const uint64_t one = 1;
  (void)!write(wakeUp.get(), &one, sizeof(one));
  reader.reset();
}

//===----------------------------------------------------------------------===//
// Receiving
//===----------------------------------------------------------------------===//

Status SocketCommunicator::startReader() {
  auto thread = Thread::start("smp ranks", [this] { readerMain(); });
  if (!thread.ok())
    return thread.status();
  reader = thread.take();
  return Status();
}

/// Reads from whoever has something to say, while what came before is not too
/// much to hold.
void SocketCommunicator::readerMain() {
  constexpr uint64_t kMostHeld = uint64_t(1) << 30;
  constexpr int kFullWait = 5; // Milliseconds.
  std::vector<pollfd> files(peers.size() + 1);
  while (!closing) {
    const bool full = box.waitingBytes() > kMostHeld;
    for (size_t i = 0; i < peers.size(); ++i) {
      const bool listen = peers[i].open && i != self && !full;
      files[i] = {listen ? peers[i].connection.get() : -1, POLLIN, 0};
    }
    files.back() = {wakeUp.get(), POLLIN, 0};
    poll(files.data(), files.size(), full ? kFullWait : -1);
    for (uint32_t i = 0; i < peers.size() && !closing; ++i)
      if (files[i].fd >= 0 && files[i].revents)
        readFrame(i);
  }
}

void SocketCommunicator::readFrame(uint32_t from) {
  std::byte raw[FrameHeader::kBytes];
  FrameHeader header;
  auto stillWanted = [this] {
    return closing ? unavailable("closing") : Status();
  };
  Status status =
      receiveBytes(peers[from].connection.get(), raw, {}, stillWanted);
  if (status.ok() && !header.decode(raw))
    status = dataLoss("sent bytes that are no message");
  if (status.ok())
    status = readFrameBody(from, header);
  if (status.ok())
    return;
  peers[from].open = false;
  box.lose(from, status.in("rank " + std::to_string(from)));
}

Status SocketCommunicator::readFrameBody(uint32_t from,
                                         const FrameHeader &header) {
  auto stillWanted = [this] {
    return closing ? unavailable("closing") : Status();
  };
  constexpr uint64_t kPiece = uint64_t(64) << 20; // Trust no size before bytes.
  MessageBytes bytes = box.spareBuffer();
  bytes.clear();
  while (bytes.size() < header.bytes) {
    const size_t had = bytes.size();
    bytes.resize(std::min(header.bytes, had + kPiece));
    SMP_RETURN_IF_ERROR(receiveBytes(peers[from].connection.get(),
                                     std::span(bytes).subspan(had), {},
                                     stillWanted));
  }
  switch (header.kind) {
  case Kind::Data:
    box.deliver(from, header.tag, std::move(bytes));
    return Status();
  case Kind::Failure: {
    std::string text(bytes.size(), '\0');
    if (!bytes.empty())
      std::memcpy(text.data(), bytes.data(), bytes.size());
    const int code = text.empty() ? 0 : text[0] - '0';
    const bool known = code > 0 && code <= int(StatusCode::Internal);
    box.fail(header.tag.epoch,
             Status(known ? StatusCode(code) : StatusCode::Unavailable,
                    text.empty() ? text : text.substr(1))
                 .in("rank " + std::to_string(from)));
    return Status();
  }
  case Kind::Bye:
    return unavailable("has closed its communicator");
  case Kind::Hello:
    break;
  }
  return dataLoss("sent a greeting in the middle of a conversation");
}

StatusOr<std::unique_ptr<Communicator>>
connectSockets(const SocketOptions &options) {
  StatusOr<std::vector<Descriptor>> connections = meet(options);
  if (!connections.ok())
    return connections.status();
  auto communicator =
      std::make_unique<SocketCommunicator>(options, connections.take());
  SMP_RETURN_IF_ERROR(communicator->startReader());
  return std::unique_ptr<Communicator>(std::move(communicator));
}

} // namespace smp
