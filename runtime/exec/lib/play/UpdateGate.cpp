// SPDX-License-Identifier: Apache-2.0
#include "UpdateGate.h"

namespace smp {

void UpdateGate::beginStep(uint64_t number, uint32_t partitions) {
  epoch = number;
  missing = partitions;
  isOpen = false;
  opened.reset();
}

Status UpdateGate::open() {
  if (communicator)
    SMP_RETURN_IF_ERROR(communicator->barrier({"update", {epoch, key, 0}, {}}));
  isOpen = true;
  opened.advance();
  return Status();
}

Status UpdateGate::pass() {
  if (missing.fetch_sub(1) == 1)
    return open();
  opened.waitFor(1);
  return Status();
}

} // namespace smp
