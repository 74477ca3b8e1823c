// SPDX-License-Identifier: Apache-2.0
#include "Pace.h"
#include "../step/MessageKeys.h"

namespace smp {

void Pace::beginStep(uint64_t number) {
  epoch = number;
  ++steps;
}

Status Pace::keep() {
  if (!communicator)
    return Status();
  const MessageTag tag{epoch, readyKey(), 0};
  if (steps % kMostAhead == 0)
    return communicator->barrier({"step", tag, {}});
  for (uint32_t rank = 0; rank < communicator->size(); ++rank)
    if (rank != communicator->rank())
      SMP_RETURN_IF_ERROR(communicator->send(rank, tag, {}, {}));
  return Status();
}

} // namespace smp
