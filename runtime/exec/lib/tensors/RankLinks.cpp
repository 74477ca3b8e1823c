// SPDX-License-Identifier: Apache-2.0
// Links to and from partitions of other ranks. Tensors go one way; for each one
// that was read an empty message goes back, so that no more are under way than
// the edge's depth.
#include "Link.h"

namespace smp {

namespace {

/// One side of a link between ranks.
class RankLink : public Link {
public:
  RankLink(const LinkPeer &peer, StepControl &control)
      : peer(peer), control(control) {}
  void beginStep(uint64_t number) override { epoch = number; }
  void endWaits() override {} // The communicator ends them.

protected:
  MessageTag tensorTag(uint32_t microbatch) const {
    return {epoch, peer.key, microbatch};
  }
  MessageTag returnTag(uint32_t microbatch) const {
    return {epoch, peer.key + 1, microbatch};
  }
  bool check(const Status &status) {
    if (!status.ok())
      control.fail(status);
    return status.ok();
  }

  LinkPeer peer;
  StepControl &control;
  uint64_t epoch = 0;
};

class ToRankLink final : public RankLink {
public:
  ToRankLink(Slots &slots, const LinkEnd &from, const LinkPeer &peer,
             StepControl &control)
      : RankLink(peer, control), slots(slots), producer(from.stream),
        copied(from.device.makeEvent()) {}
  Status reserve(Device &from) {
    SMP_RETURN_IF_ERROR(host.reserve(slots.bytes()));
    host.pinFor(from);
    return Status();
  }

  bool acquire(uint32_t microbatch) override {
    if (microbatch < slots.count())
      return true;
    return check(peer.communicator.receive(
        peer.rank, returnTag(microbatch - slots.count()), {}, {}));
  }
  bool send(uint32_t microbatch) override {
    producer.download(host.data(), slots.view(microbatch), {slots.bytes()});
    producer.record(*copied);
    return check(copied->wait()) &&
           check(peer.communicator.send(peer.rank, tensorTag(microbatch),
                                        {host.data(), slots.bytes()}, {}));
  }
  bool receive(uint32_t) override { return true; }
  BufferView view(uint32_t) const override { return {}; }
  void release(uint32_t) override {}

private:
  Slots &slots;
  Stream &producer;
  std::unique_ptr<Event> copied;
  HostMemory host;
};

class FromRankLink final : public RankLink {
public:
  FromRankLink(uint32_t depth, uint64_t bytes, const LinkEnd &to,
               uint64_t arrived, const LinkPeer &peer, StepControl &control)
      : RankLink(peer, control), consumer(to.stream),
        arrived(to.device, to.memory, arrived, depth, bytes) {}
  Status reserve(Device &to) {
    SMP_RETURN_IF_ERROR(host.reserve(arrived.bytes() * arrived.count()));
    host.pinFor(to);
    return Status();
  }

  bool acquire(uint32_t) override { return true; }
  bool send(uint32_t) override { return true; }
  bool receive(uint32_t microbatch) override {
    // The upload from the host place may still be under way.
    if (microbatch >= arrived.count() &&
        !check(arrived.full(microbatch).wait()))
      return false;
    std::byte *place =
        host.data() + microbatch % arrived.count() * arrived.bytes();
    if (!check(peer.communicator.receive(peer.rank, tensorTag(microbatch),
                                         {place, arrived.bytes()}, {})))
      return false;
    consumer.upload(arrived.view(microbatch), place, {arrived.bytes()});
    consumer.record(arrived.full(microbatch));
    return true;
  }
  BufferView view(uint32_t microbatch) const override {
    return arrived.view(microbatch);
  }
  void release(uint32_t microbatch) override {
    check(peer.communicator.send(peer.rank, returnTag(microbatch), {}, {}));
  }

private:
  Stream &consumer;
  Slots arrived;
  HostMemory host;
};

} // namespace

StatusOr<std::unique_ptr<Link>> linkToRank(Slots &slots, const LinkEnd &from,
                                           const LinkPeer &peer,
                                           StepControl &control) {
  auto link = std::make_unique<ToRankLink>(slots, from, peer, control);
  SMP_RETURN_IF_ERROR(link->reserve(from.device));
  return std::unique_ptr<Link>(std::move(link));
}

StatusOr<std::unique_ptr<Link>>
linkFromRank(uint32_t depth, uint64_t bytes, const LinkEnd &to,
             uint64_t arrived, const LinkPeer &peer, StepControl &control) {
  auto link =
      std::make_unique<FromRankLink>(depth, bytes, to, arrived, peer, control);
  SMP_RETURN_IF_ERROR(link->reserve(to.device));
  return std::unique_ptr<Link>(std::move(link));
}

} // namespace smp
