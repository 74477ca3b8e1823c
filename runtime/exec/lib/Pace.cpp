// SPDX-License-Identifier: Apache-2.0
#include "Pace.h"
#include "EntryPlan.h"

namespace smp {

void Pace::beginStep(uint64_t number) {
  epoch = number;
  ++steps;
}

Status Pace::keep() {
  if (!communicator || steps % kMostAhead != 0)
    return Status();
  return communicator->barrier({epoch, readyKey(), 0}, {});
}

} // namespace smp
