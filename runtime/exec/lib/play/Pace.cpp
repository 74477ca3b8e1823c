// SPDX-License-Identifier: Apache-2.0
#include "Pace.h"
#include "../step/MessageKeys.h"
#include <algorithm>

namespace smp {

/// A wish as one byte: the view, and two bits.
constexpr std::byte kViewBits{3}, kOfAllRanks{4}, kIsWatched{8};

static std::byte encode(const RankWish &wish, bool isWatched) {
  auto byte = std::byte(wish.view);
  byte |= wish.ofAllRanks ? kOfAllRanks : std::byte(0);
  return byte | (isWatched ? kIsWatched : std::byte(0));
}

static RankWish decode(std::byte byte) {
  return {std::min(StepView(byte & kViewBits), StepView::Values),
          (byte & kOfAllRanks) != std::byte(0)};
}

Pace::Pace(Communicator *communicator)
    : communicator(communicator),
      wishes(communicator ? communicator->size() : 1), gathers(wishes.size()),
      mayWatch(wishes.size(), true) {}

void Pace::beginStep(uint64_t number) {
  epoch = number;
  ++steps;
}

Status Pace::keep(const RankWish &mine, bool isWatched) {
  if (!communicator) {
    wishes[0] = mine;
    return Status();
  }
  const uint32_t rank = communicator->rank();
  const MessageTag tag{epoch, wishKey(), 0};
  const bool meets = steps % kMostAhead == 1;
  if (meets) {
    mayWatch.assign(wishes.size(), true);
    mayWatch[rank] = isWatched;
  }
  unheard = isWatched && !mayWatch[rank];
  wishes.assign(wishes.size(), RankWish());
  wishes[rank] = unheard ? RankWish() : mine;
  const std::byte said = encode(wishes[rank], isWatched);
  SMP_RETURN_IF_ERROR(meets ? meet(tag, said) : tell(tag, said));
  for (size_t i = 0; i < wishes.size(); ++i)
    gathers[i] = wishes[i].ofAllRanks && wishes[i].view != StepView::Outputs;
  return Status();
}

Status Pace::meet(const MessageTag &tag, std::byte mine) {
  SMP_ASSIGN_OR_RETURN(const auto all,
                       communicator->allGather({"step", tag, {}}, {&mine, 1}));
  for (uint32_t rank = 0; rank < all.size(); ++rank) {
    wishes[rank] = decode(all[rank][0]);
    mayWatch[rank] = (all[rank][0] & kIsWatched) != std::byte(0);
  }
  return Status();
}

Status Pace::tell(const MessageTag &tag, std::byte mine) {
  const uint32_t own = communicator->rank();
  for (uint32_t rank = 0; rank < wishes.size(); ++rank)
    if (rank != own)
      SMP_RETURN_IF_ERROR(communicator->send(rank, tag, {&mine, 1}, {}));
  for (uint32_t rank = 0; rank < wishes.size(); ++rank) {
    std::byte theirs;
    if (rank == own || !mayWatch[rank])
      continue;
    SMP_RETURN_IF_ERROR(communicator->receive(rank, tag, {&theirs, 1}, {}));
    wishes[rank] = decode(theirs);
  }
  return Status();
}

bool Pace::gathersHere() const {
  return communicator && gathers[communicator->rank()];
}

StepView Pace::view() const {
  return std::ranges::max(wishes, {}, &RankWish::view).view;
}

} // namespace smp
