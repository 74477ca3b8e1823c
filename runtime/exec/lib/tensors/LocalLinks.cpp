// SPDX-License-Identifier: Apache-2.0
// Links whose both ends are on this rank.
#include "../step/CountWord.h"
#include "Link.h"

namespace smp {

namespace {

/// One thread and one stream in order: nothing to wait for.
class WithinLink final : public Link {
public:
  explicit WithinLink(Slots &slots) : slots(slots) {}
  bool acquire(uint32_t) override { return true; }
  bool send(uint32_t) override { return true; }
  bool receive(uint32_t) override { return true; }
  BufferView view(uint32_t microbatch) const override {
    return slots.view(microbatch);
  }
  void release(uint32_t) override {}
  void beginStep(uint64_t) override {}
  void endWaits() override {}

private:
  Slots &slots;
};

/// What links between threads have in common: how many tensors were handed
/// over, how many given back, and when the work that reads a place is done.
class CountedLink : public Link {
public:
  CountedLink(Slots &slots, const LinkEnd &from, const LinkEnd &to)
      : slots(slots), producer(from.stream), consumer(to.stream) {
    for (uint32_t i = 0; i < slots.count(); ++i)
      freed.push_back(to.device.makeEvent());
  }
  void beginStep(uint64_t) override {
    sent.reset();
    returned.reset();
  }
  void endWaits() override {
    sent.end();
    returned.end();
  }
  void release(uint32_t microbatch) override {
    consumer.record(*freed[microbatch % slots.count()]);
    returned.advance();
  }

protected:
  /// Whether the place was not used in this step: nothing to wait for, and the
  /// event is that of the step before.
  bool isFresh(uint32_t microbatch) const { return microbatch < slots.count(); }
  /// Waits until the consumer gave the place of `microbatch` back.
  bool waitForPlace(uint32_t microbatch) {
    return returned.waitFor(microbatch - slots.count() + 1);
  }
  Event &freedEvent(uint32_t microbatch) {
    return *freed[microbatch % slots.count()];
  }

  Slots &slots;
  Stream &producer, &consumer;
  CountWord sent;
  alignas(64) CountWord returned;

private:
  std::vector<std::unique_ptr<Event>> freed;
};

/// Both streams wait for each other's events.
class SharedLink : public CountedLink {
public:
  using CountedLink::CountedLink;

  bool acquire(uint32_t microbatch) override {
    if (isFresh(microbatch))
      return true;
    if (!waitForPlace(microbatch))
      return false;
    producer.wait(freedEvent(microbatch));
    return true;
  }
  bool send(uint32_t) override {
    sent.advance();
    return true;
  }
  bool receive(uint32_t microbatch) override {
    if (!sent.waitFor(microbatch + 1))
      return false;
    consumer.wait(slots.full(microbatch));
    return true;
  }
  BufferView view(uint32_t microbatch) const override {
    return slots.view(microbatch);
  }
};

/// The consumer's stream copies from the producer's device.
class PeerLink final : public SharedLink {
public:
  PeerLink(Slots &slots, const LinkEnd &from, const LinkEnd &to,
           uint64_t arrived)
      : SharedLink(slots, from, to),
        arrived(to.device, to.memory, arrived, slots.count(), slots.bytes()) {}

  bool receive(uint32_t microbatch) override {
    if (!SharedLink::receive(microbatch))
      return false;
    consumer.copy(arrived.view(microbatch), slots.view(microbatch),
                  {slots.bytes()});
    return true;
  }
  BufferView view(uint32_t microbatch) const override {
    return arrived.view(microbatch);
  }

private:
  Slots arrived;
};

/// Producer to host memory to consumer. The devices may be of two drivers, so
/// that neither stream can wait for the other's events: the threads do.
class StagedLink final : public CountedLink {
public:
  StagedLink(Slots &slots, const LinkEnd &from, const LinkEnd &to,
             uint64_t arrived, StepControl &control)
      : CountedLink(slots, from, to), control(control),
        arrived(to.device, to.memory, arrived, slots.count(), slots.bytes()) {
    for (uint32_t i = 0; i < slots.count(); ++i)
      staged.push_back(from.device.makeEvent());
  }
  Status reserve(Device &from, Device &to) {
    SMP_RETURN_IF_ERROR(host.reserve(slots.bytes() * slots.count()));
    host.pinFor(from);
    host.pinFor(to);
    return Status();
  }

  bool acquire(uint32_t microbatch) override {
    return isFresh(microbatch) ||
           (waitForPlace(microbatch) && check(freedEvent(microbatch).wait()));
  }
  bool send(uint32_t microbatch) override {
    producer.download(place(microbatch), slots.view(microbatch),
                      {slots.bytes()});
    producer.record(stagedEvent(microbatch));
    sent.advance();
    return true;
  }
  bool receive(uint32_t microbatch) override {
    if (!sent.waitFor(microbatch + 1) || !check(stagedEvent(microbatch).wait()))
      return false;
    consumer.upload(arrived.view(microbatch), place(microbatch),
                    {slots.bytes()});
    return true;
  }
  BufferView view(uint32_t microbatch) const override {
    return arrived.view(microbatch);
  }

private:
  std::byte *place(uint32_t microbatch) const {
    return host.data() + microbatch % slots.count() * slots.bytes();
  }
  Event &stagedEvent(uint32_t microbatch) {
    return *staged[microbatch % slots.count()];
  }
  bool check(const Status &status) {
    if (!status.ok())
      control.fail(status);
    return status.ok();
  }

  StepControl &control;
  Slots arrived;
  HostMemory host;
  std::vector<std::unique_ptr<Event>> staged;
};

} // namespace

std::unique_ptr<Link> linkWithin(Slots &slots) {
  return std::make_unique<WithinLink>(slots);
}

std::unique_ptr<Link> linkShared(Slots &slots, const LinkEnd &from,
                                 const LinkEnd &to) {
  return std::make_unique<SharedLink>(slots, from, to);
}

std::unique_ptr<Link> linkPeers(Slots &slots, const LinkEnd &from,
                                const LinkEnd &to, uint64_t arrived) {
  return std::make_unique<PeerLink>(slots, from, to, arrived);
}

StatusOr<std::unique_ptr<Link>> linkStaged(Slots &slots, const LinkEnd &from,
                                           const LinkEnd &to, uint64_t arrived,
                                           StepControl &control) {
  auto link = std::make_unique<StagedLink>(slots, from, to, arrived, control);
  SMP_RETURN_IF_ERROR(link->reserve(from.device, to.device));
  return std::unique_ptr<Link>(std::move(link));
}

} // namespace smp
