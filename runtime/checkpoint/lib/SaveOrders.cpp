// SPDX-License-Identifier: Apache-2.0
#include "SaveOrders.h"

namespace smp {

namespace {
constexpr uint64_t kVerdicts = 1, kBegun = 2;
} // namespace

/// Gives every rank the number of rank 0, which waits for nobody.
StatusOr<uint64_t> SaveOrders::hear(MessageTag tag, uint64_t mine) {
  if (!lane)
    return mine;
  const auto bytes = std::as_writable_bytes(std::span(&mine, 1));
  SMP_RETURN_IF_ERROR(lane->broadcast(0, tag, bytes, deadlineAfter(seconds)));
  return mine;
}

StatusOr<SaveVerdict> SaveOrders::decide(uint64_t call, SaveVerdict mine) {
  const uint64_t word = mine.replaced << 2 | mine.kind;
  SMP_ASSIGN_OR_RETURN(const uint64_t heard,
                       hear({0, kVerdicts, uint32_t(call)}, word));
  return SaveVerdict{SaveVerdict::Kind(heard & 3), heard >> 2};
}

StatusOr<uint64_t> SaveOrders::next(uint64_t mine) {
  auto heard = hear({0, kBegun, begun}, mine);
  if (heard.ok() || isFirst()) // Who did not hear of it may hear it later.
    ++begun;
  return heard;
}

} // namespace smp
