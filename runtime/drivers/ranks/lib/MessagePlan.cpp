// SPDX-License-Identifier: Apache-2.0
#include "MessagePlan.h"
#include <algorithm>
#include <tuple>

namespace smp {

static bool isBefore(const MessageSize &one, const MessageSize &other) {
  return std::tie(one.peer, one.key) < std::tie(other.peer, other.key);
}

void MessagePlan::add(uint64_t epoch, std::vector<MessageSize> sizes) {
  std::sort(sizes.begin(), sizes.end(), isBefore);
  before = std::move(latest);
  latest = {epoch, std::move(sizes)};
}

/// Null: nobody planned it, or the epoch is older than what is known.
const MessageSize *MessagePlan::find(uint32_t peer, MessageTag tag) const {
  const Part &part = tag.epoch >= latest.since ? latest : before;
  const MessageSize wanted{peer, tag.key, 0};
  const auto found =
      std::lower_bound(part.sizes.begin(), part.sizes.end(), wanted, isBefore);
  const bool isFound = tag.epoch >= part.since && found != part.sizes.end() &&
                       !isBefore(wanted, *found);
  return isFound ? &*found : nullptr;
}

Status MessagePlan::check(uint32_t peer, MessageTag tag, uint64_t bytes,
                          Way way) const {
  const MessageSize *planned = find(peer, tag);
  if (planned ? bytes == planned->bytes : bytes <= kMostUnplannedBytes)
    return Status();
  const bool isSent = way == Way::Sent;
  const std::string text =
      "sent " + std::to_string(bytes) + " bytes where rank " +
      std::to_string(isSent ? peer : rank) + " expects " +
      (planned ? std::to_string(planned->bytes)
               : "at most " + std::to_string(kMostUnplannedBytes));
  return isSent ? invalidArgument("rank " + std::to_string(rank) + " " + text)
                : dataLoss(text);
}

} // namespace smp
