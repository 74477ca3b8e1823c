// SPDX-License-Identifier: Apache-2.0
#include "smp/device/Communicator.h"
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

StatusOr<std::vector<std::vector<std::byte>>>
Communicator::allGather(MessageTag tag, std::span<const std::byte> bytes,
                        Deadline deadline) {
  for (uint32_t to = 0; to < size(); ++to)
    if (to != rank())
      SMP_RETURN_IF_ERROR(send(to, tag, bytes, deadline));
  std::vector<std::vector<std::byte>> all(size());
  all[rank()].assign(bytes.begin(), bytes.end());
  for (uint32_t from = 0; from < size(); ++from) {
    if (from == rank())
      continue;
    SMP_ASSIGN_OR_RETURN(all[from], receiveAny(from, tag, deadline));
  }
  return all;
}

Status Communicator::barrier(MessageTag tag, Deadline deadline) {
  return allGather(tag, {}, deadline).status();
}

} // namespace smp
