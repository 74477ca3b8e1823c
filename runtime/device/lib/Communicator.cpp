// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Communicator.h"
#include "smp/base/Lists.h"
#include <cassert>
#include <cstdio>

namespace smp {

Status checkDeadline(double seconds) {
  if (seconds >= 0 && seconds <= kMostDeadlineSeconds)
    return Status();
  char text[96];
  std::snprintf(text, sizeof(text),
                "deadlineSeconds is %g; it must be from 0 (never) to %g",
                seconds, kMostDeadlineSeconds);
  return invalidArgument(text);
}

Deadline deadlineAfter(double seconds) {
  assert(seconds >= 0 && "a deadline that nobody checked");
  if (seconds == 0)
    return std::nullopt;
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

Status Communicator::broadcast(uint32_t root, MessageTag tag,
                               std::span<std::byte> bytes, Deadline deadline) {
  if (rank() != root)
    return receive(root, tag, bytes, deadline);
  for (uint32_t to = 0; to < size(); ++to)
    if (to != root)
      SMP_RETURN_IF_ERROR(send(to, tag, bytes, deadline));
  return Status();
}

/// "'open' 0 of epoch 7: 1 of 3 ranks came in 0.05 seconds, rank 0 waits for
/// rank 1, 2".
static Status notAllCame(const Collective &call, const Communicator &ranks,
                         std::span<const uint32_t> missing, double seconds) {
  char text[128];
  std::snprintf(text, sizeof(text),
                "' %u of epoch %llu: %u of %u ranks came in %.3g seconds, "
                "rank %u waits for rank ",
                call.tag.index, static_cast<unsigned long long>(call.tag.epoch),
                ranks.size() - uint32_t(missing.size()), ranks.size(), seconds,
                ranks.rank());
  return {StatusCode::DeadlineExceeded,
          "'" + std::string(call.name) + text + join(missing, ", ")};
}

StatusOr<std::vector<std::vector<std::byte>>>
Communicator::allGather(const Collective &call,
                        std::span<const std::byte> bytes) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  for (uint32_t to = 0; to < size(); ++to)
    if (to != rank())
      SMP_RETURN_IF_ERROR(send(to, call.tag, bytes, call.deadline));
  std::vector<std::vector<std::byte>> all(size());
  all[rank()].assign(bytes.begin(), bytes.end());
  std::vector<uint32_t> missing;
  for (uint32_t from = 0; from < size(); ++from) {
    if (from == rank())
      continue;
    auto received = receiveAny(from, call.tag, call.deadline);
    if (received.ok())
      all[from] = received.take();
    else if (!call.deadline || Clock::now() < *call.deadline)
      return received.status();
    else
      missing.push_back(from);
  }
  if (missing.empty())
    return all;
  const std::chrono::duration<double> waited = Clock::now() - start;
  return notAllCame(call, *this, missing, waited.count());
}

Status Communicator::barrier(const Collective &call) {
  return allGather(call, {}).status();
}

} // namespace smp
