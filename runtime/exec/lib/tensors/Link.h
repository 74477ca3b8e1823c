// SPDX-License-Identifier: Apache-2.0
// A channel between two stages, as the partitions of this rank see it.

#ifndef SMP_EXEC_LINK_H
#define SMP_EXEC_LINK_H

#include "../step/StepControl.h"
#include "Slots.h"
#include "smp/device/Communicator.h"

namespace smp {

/// Hands the tensors of one edge to one consumer, microbatch after microbatch.
/// The first two calls are the producer's, the next three the consumer's, each
/// on the thread that plays its partition. Calls that return bool may block and
/// return false when the step is over.
class Link {
public:
  virtual ~Link() = default;
  /// Before the run that makes the tensor: waits until its place is free.
  virtual bool acquire(uint32_t microbatch) = 0;
  /// After it, with the place's event recorded: hands the tensor over.
  virtual bool send(uint32_t microbatch) = 0;

  /// Waits until the tensor is handed over.
  virtual bool receive(uint32_t microbatch) = 0;
  /// Where it is then, for work put into the consumer's stream.
  virtual BufferView view(uint32_t microbatch) const = 0;
  /// After the run that reads it was put into the stream.
  virtual void release(uint32_t microbatch) = 0;

  /// Before a step. Nobody uses the link.
  virtual void beginStep(uint64_t epoch) = 0;
  /// Ends all waits.
  virtual void endWaits() = 0;
};

/// One side of a link.
struct LinkEnd {
  Device &device;
  Stream &stream;
  EntryMemory &memory;
};

/// Both stages are on one partition.
std::unique_ptr<Link> linkWithin(Slots &slots);
/// Between partitions of this rank whose devices share memory.
std::unique_ptr<Link> linkShared(Slots &slots, const LinkEnd &from,
                                 const LinkEnd &to);
/// Between partitions of this rank whose devices copy from each other, to
/// places that begin at `arrived` of the taker's.
std::unique_ptr<Link> linkPeers(Slots &slots, const LinkEnd &from,
                                const LinkEnd &to, uint64_t arrived);
/// Between partitions of this rank, through host memory, to places that begin
/// at `arrived` of the taker's.
StatusOr<std::unique_ptr<Link>> linkStaged(Slots &slots, const LinkEnd &from,
                                           const LinkEnd &to, uint64_t arrived,
                                           StepControl &control);

/// The other rank of a link, and the key of its messages.
struct LinkPeer {
  Communicator &communicator;
  uint32_t rank;
  uint64_t key; ///< And key + 1, for what goes back.
};
/// To a partition of another rank.
StatusOr<std::unique_ptr<Link>> linkToRank(Slots &slots, const LinkEnd &from,
                                           const LinkPeer &peer,
                                           StepControl &control);
/// From a partition of another rank, to places that begin at `arrived` of the
/// taker's.
StatusOr<std::unique_ptr<Link>>
linkFromRank(uint32_t depth, uint64_t bytes, const LinkEnd &to,
             uint64_t arrived, const LinkPeer &peer, StepControl &control);

} // namespace smp

#endif // SMP_EXEC_LINK_H
