// SPDX-License-Identifier: Apache-2.0
// Numbers that look random and are the same everywhere.

#ifndef SMP_PASSES_PLANNING_LIB_ORDER_RANDOM_H
#define SMP_PASSES_PLANNING_LIB_ORDER_RANDOM_H

#include <cstdint>
#include <utility>
#include <vector>

namespace smp::passes {

/// The generator SplitMix64 (Steele, Lea and Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// Less than `count`.
  uint32_t below(uint32_t count) {
    return uint32_t(((next() >> 32) * count) >> 32);
  }
  /// In [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }

  template <typename T>
  void shuffle(std::vector<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[below(uint32_t(i))]);
  }

private:
  uint64_t state;
};

} // namespace smp::passes

#endif // SMP_PASSES_PLANNING_LIB_ORDER_RANDOM_H
