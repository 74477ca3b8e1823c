// SPDX-License-Identifier: Apache-2.0
#include "Rendezvous.h"
#include "SocketRanks.h"
#include "smp/drivers/ranks/Communicators.h"

namespace smp {

namespace {

/// One lane of a rank; lane 0 is its communicator, and owns the connections.
class SocketCommunicator final : public Communicator {
public:
  explicit SocketCommunicator(SocketRanks &ranks)
      : ranks(ranks), self(ranks.rank()), lane(ranks.lanes.open()),
        box(ranks.lanes.find(lane).take()), senders(ranks.size()) {}
  explicit SocketCommunicator(std::unique_ptr<SocketRanks> all)
      : SocketCommunicator(*all) {
    owned = std::move(all);
  }
  ~SocketCommunicator() override;

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return ranks.size(); }
  Status send(uint32_t to, MessageTag tag, std::span<const std::byte> bytes,
              Deadline deadline) override;
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    return box->receive(from, tag, bytes, deadline);
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    return box->receiveAny(from, tag, deadline);
  }
  void beginEpoch(uint64_t epoch) override { box->beginEpoch(epoch); }
  uint64_t epoch() const override { return box->epoch(); }
  void fail(uint64_t epoch, const Status &why) override;
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    box->planMessages(epoch, sizes);
  }
  uint64_t progress() const override {
    return box->progress() + sent.load(std::memory_order_relaxed);
  }
  std::string waits() const override;
  std::unique_ptr<Communicator> openLane() override {
    return std::make_unique<SocketCommunicator>(ranks);
  }

private:
  using Kind = FrameHeader::Kind;
  Status sendToSelf(MessageTag tag, std::span<const std::byte> bytes);
  Status sendTo(uint32_t to, Kind kind, MessageTag tag,
                std::span<const std::byte> bytes, Deadline deadline,
                const StillWanted &stillWanted, FrameFate &fate);
  void tellAll(Kind kind, uint64_t epoch, std::string_view text);

  SocketRanks &ranks;
  const uint32_t self, lane;
  std::shared_ptr<Mailbox> box; // The reader may be bringing something.
  /// By rank: those here who send to it or wait for that.
  std::vector<std::atomic<uint32_t>> senders;
  std::atomic<uint64_t> sent{0};
  std::unique_ptr<SocketRanks> owned; // Null: lane 0 has it.
};

} // namespace

SocketCommunicator::~SocketCommunicator() {
  if (!ranks.isHere())
    return;
  if (owned)
    owned->leave(*box);
  else
    tellAll(Kind::Bye, box->epoch(), {});
  ranks.lanes.close(lane);
}

//===----------------------------------------------------------------------===//
// Sending
//===----------------------------------------------------------------------===//

Status SocketCommunicator::sendTo(uint32_t to, Kind kind, MessageTag tag,
                                  std::span<const std::byte> bytes,
                                  Deadline deadline,
                                  const StillWanted &stillWanted,
                                  FrameFate &fate) {
  ++senders[to];
  Status status = ranks.send(to, {kind, tag, bytes.size(), lane}, bytes,
                             deadline, stillWanted, fate);
  --senders[to];
  ++sent;
  return status;
}

Status SocketCommunicator::sendToSelf(MessageTag tag,
                                      std::span<const std::byte> bytes) {
  SMP_ASSIGN_OR_RETURN(MessageBytes copy, box->accept(self, tag, bytes.size()));
  copy.assign(bytes.begin(), bytes.end());
  box->deliver(self, tag, std::move(copy));
  return Status();
}

Status SocketCommunicator::send(uint32_t to, MessageTag tag,
                                std::span<const std::byte> bytes,
                                Deadline deadline) {
  SMP_RETURN_IF_ERROR(box->checkSize(to, tag, bytes.size()));
  SMP_ASSIGN_OR_RETURN(const bool isWanted, box->wants(to, tag.epoch));
  if (!isWanted)
    return Status();
  if (to == self)
    return sendToSelf(tag, bytes);
  FrameFate fate = FrameFate::NotBegun;
  Status status = sendTo(
      to, Kind::Data, tag, bytes, deadline,
      [&] { return box->wants(to, tag.epoch).status(); }, fate);
  if (fate != FrameFate::Broken)
    return status;
  // Whether the peer had left before is in what it sent last: the reader
  // finds it.
  constexpr double kReadingSeconds = 5;
  return box
      ->wantsAfterBreak(to, tag.epoch, status, deadlineAfter(kReadingSeconds))
      .status();
}

/// Those who cannot be told in a second find out by their own deadline.
void SocketCommunicator::tellAll(Kind kind, uint64_t epoch,
                                 std::string_view text) {
  FrameFate fate;
  for (uint32_t to = 0; to < size(); ++to)
    if (to != self && box->isReachable(to))
      (void)sendTo(
          to, kind, {epoch, 0, 0}, std::as_bytes(std::span(text)),
          deadlineAfter(1), [] { return Status(); }, fate);
}

/// The others get the code and the message.
void SocketCommunicator::fail(uint64_t epoch, const Status &why) {
  if (box->fail(self, epoch, why))
    tellAll(Kind::Failure, epoch, encodeFailure(why));
}

std::string SocketCommunicator::waits() const {
  std::string text = box->waits();
  for (uint32_t to = 0; to < size(); ++to)
    if (senders[to])
      text += (text.empty() ? "rank " : "; rank ") + std::to_string(self) +
              " waits for rank " + std::to_string(to) +
              " to take what it sends";
  return text;
}

StatusOr<std::unique_ptr<Communicator>>
connectSockets(const SocketOptions &options) {
  SMP_ASSIGN_OR_RETURN(std::vector<Descriptor> connections, meet(options));
  auto ranks = std::make_unique<SocketRanks>(options, std::move(connections));
  SMP_RETURN_IF_ERROR(ranks->startReader());
  return std::unique_ptr<Communicator>(
      std::make_unique<SocketCommunicator>(std::move(ranks)));
}

} // namespace smp
