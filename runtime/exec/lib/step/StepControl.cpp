// SPDX-License-Identifier: Apache-2.0
#include "StepControl.h"

namespace smp {

uint64_t StepControl::begin() {
  std::lock_guard<std::mutex> hold(lock);
  failed = false;
  reason = Status();
  active.store(++count, std::memory_order_release);
  return count;
}

Status StepControl::end() {
  std::lock_guard<std::mutex> hold(lock);
  active.store(0, std::memory_order_release);
  return std::move(reason);
}

bool StepControl::failIf(uint64_t step, const Status &why) {
  std::lock_guard<std::mutex> hold(lock);
  if (step == 0 || active.load() != step || failed)
    return false;
  reason = why;
  failed = true;
  wakeAll(why);
  return true;
}

} // namespace smp
