// SPDX-License-Identifier: Apache-2.0
#include "Lanes.h"
#include "smp/base/ProcessMark.h"
#include "smp/drivers/ranks/Communicators.h"

namespace smp {

namespace {

using AllLanes = std::vector<std::unique_ptr<Lanes>>; // By rank.

/// One lane of a rank; lane 0 is its communicator.
class InProcessCommunicator final : public Communicator {
public:
  InProcessCommunicator(std::shared_ptr<AllLanes> all, uint32_t rank)
      : all(std::move(all)), self(rank), lane(lanes().open()),
        box(lanes().find(lane).take()) {}
  ~InProcessCommunicator() override;

  uint32_t rank() const override { return self; }
  uint32_t size() const override { return uint32_t(all->size()); }

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
  uint64_t progress() const override { return box->progress(); }
  std::string waits() const override { return box->waits(); }
  std::unique_ptr<Communicator> openLane() override {
    return std::make_unique<InProcessCommunicator>(all, self);
  }

private:
  Lanes &lanes() const { return *(*all)[self]; }

  std::shared_ptr<AllLanes> all; // Shared by all ranks.
  const uint32_t self, lane;
  const ProcessMark mark;
  std::shared_ptr<Mailbox> box; // Others may be bringing something.
};

} // namespace

InProcessCommunicator::~InProcessCommunicator() {
  if (!mark.isHere())
    return; // The ranks are those of the process that was forked.
  for (auto &other : *all)
    if (lane == 0)
      other->leave(self, box->epoch());
    else if (auto theirs = other->find(lane); theirs.ok())
      (*theirs)->leave(self, box->epoch());
  lanes().close(lane);
}

Status InProcessCommunicator::send(uint32_t to, MessageTag tag,
                                   std::span<const std::byte> bytes, Deadline) {
  SMP_RETURN_IF_ERROR(box->checkSize(to, tag, bytes.size()));
  SMP_ASSIGN_OR_RETURN(const bool isWanted, box->wants(to, tag.epoch));
  if (!isWanted)
    return Status();
  const std::string who = "rank " + std::to_string(self);
  SMP_ASSIGN_OR_RETURN(const std::shared_ptr<Mailbox> theirs,
                       (*all)[to]->find(lane).in(who));
  SMP_ASSIGN_OR_RETURN(MessageBytes copy,
                       theirs->accept(self, tag, bytes.size()).in(who));
  copy.assign(bytes.begin(), bytes.end());
  theirs->deliver(self, tag, std::move(copy));
  return Status();
}

void InProcessCommunicator::fail(uint64_t epoch, const Status &why) {
  if (!box->fail(self, epoch, why))
    return;
  for (uint32_t to = 0; to < size(); ++to)
    if (auto theirs = (*all)[to]->find(lane); to != self && theirs.ok())
      (*theirs)->fail(self, epoch, why.in("rank " + std::to_string(self)));
}

std::vector<std::unique_ptr<Communicator>>
makeInProcessCommunicators(uint32_t size) {
  auto lanes = std::make_shared<AllLanes>();
  for (uint32_t rank = 0; rank < size; ++rank)
    lanes->push_back(std::make_unique<Lanes>(rank, size));
  std::vector<std::unique_ptr<Communicator>> all;
  for (uint32_t rank = 0; rank < size; ++rank)
    all.push_back(std::make_unique<InProcessCommunicator>(lanes, rank));
  return all;
}

} // namespace smp
