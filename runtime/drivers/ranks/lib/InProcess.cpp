// SPDX-License-Identifier: Apache-2.0
#include "Mailbox.h"
#include "smp/drivers/ranks/Communicators.h"

namespace smp {

namespace {

using Mailboxes = std::vector<std::unique_ptr<Mailbox>>;

class InProcessCommunicator final : public Communicator {
public:
  InProcessCommunicator(std::shared_ptr<Mailboxes> boxes, uint32_t rank)
      : boxes(std::move(boxes)), self(rank) {}
  ~InProcessCommunicator() override {
    for (auto &box : *boxes)
      box->leave(self, own().epoch());
  }

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return uint32_t(boxes->size()); }

  Status send(uint32_t to, MessageTag tag, std::span<const std::byte> bytes,
              Deadline) override {
    SMP_RETURN_IF_ERROR(own().checkSize(to, tag, bytes.size()));
    SMP_ASSIGN_OR_RETURN(const bool isWanted, own().wants(to, tag.epoch));
    if (!isWanted)
      return Status();
    SMP_ASSIGN_OR_RETURN(MessageBytes copy,
                         (*boxes)[to]
                             ->accept(self, tag, bytes.size())
                             .in("rank " + std::to_string(self)));
    copy.assign(bytes.begin(), bytes.end());
    (*boxes)[to]->deliver(self, tag, std::move(copy));
    return Status();
  }
  Status receive(uint32_t from, MessageTag tag, std::span<std::byte> bytes,
                 Deadline deadline) override {
    return own().receive(from, tag, bytes, deadline);
  }
  StatusOr<std::vector<std::byte>> receiveAny(uint32_t from, MessageTag tag,
                                              Deadline deadline) override {
    return own().receiveAny(from, tag, deadline);
  }

  void beginEpoch(uint64_t epoch) override { own().beginEpoch(epoch); }
  uint64_t epoch() const override { return own().epoch(); }
  void fail(uint64_t epoch, const Status &why) override {
    if (!own().fail(self, epoch, why))
      return;
    for (uint32_t to = 0; to < size(); ++to)
      if (to != self)
        (*boxes)[to]->fail(self, epoch, why.in("rank " + std::to_string(self)));
  }
  void planMessages(uint64_t epoch,
                    std::span<const MessageSize> sizes) override {
    own().planMessages(epoch, sizes);
  }
  uint64_t progress() const override { return own().progress(); }
  std::string waits() const override { return own().waits(); }

private:
  Mailbox &own() const { return *(*boxes)[self]; }

  std::shared_ptr<Mailboxes> boxes;
  uint32_t self;
};

} // namespace

std::vector<std::unique_ptr<Communicator>>
makeInProcessCommunicators(uint32_t size) {
  auto boxes = std::make_shared<Mailboxes>();
  std::vector<std::unique_ptr<Communicator>> all;
  for (uint32_t rank = 0; rank < size; ++rank) {
    boxes->push_back(std::make_unique<Mailbox>(rank, size));
    all.push_back(std::make_unique<InProcessCommunicator>(boxes, rank));
  }
  return all;
}

} // namespace smp
