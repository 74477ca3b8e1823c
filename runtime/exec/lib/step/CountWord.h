// SPDX-License-Identifier: Apache-2.0
// A count that one thread raises and others wait for.

#ifndef SMP_EXEC_COUNTWORD_H
#define SMP_EXEC_COUNTWORD_H

#include "smp/device/Parking.h"

namespace smp {

/// Counts to at most 2^31 - 1. Ending it ends all waits, now and later.
class CountWord {
public:
  void advance() {
    word.fetch_add(1);
    if (sleepers.load())
      unparkAll(word);
  }
  /// Waits until the count is at least `count`; false when it ended first.
  bool waitFor(uint32_t count) {
    auto pending = [&] { return isBelow(word.load(), count); };
    if (spinWhile(pending)) {
      sleepers.fetch_add(1);
      for (uint32_t now = word.load(); isBelow(now, count); now = word.load())
        park(word, now);
      sleepers.fetch_sub(1);
    }
    return !(word.load() & kEnded);
  }
  void end() {
    word.fetch_or(kEnded);
    unparkAll(word);
  }
  bool hasEnded() const { return word.load() & kEnded; }
  /// Back to 0, not ended. Nobody waits now.
  void reset() { word.store(0); }

private:
  static constexpr uint32_t kEnded = 0x80000000u;
  static bool isBelow(uint32_t now, uint32_t count) {
    return !(now & kEnded) && now < count;
  }

  std::atomic<uint32_t> word{0}, sleepers{0};
};

} // namespace smp

#endif // SMP_EXEC_COUNTWORD_H
