// SPDX-License-Identifier: Apache-2.0
// Sessions that are one of several ranks, of a chain of stages.

#ifndef SMP_TESTS_UNIT_EXEC_RANKSESSIONS_H
#define SMP_TESTS_UNIT_EXEC_RANKSESSIONS_H

#include "RankThreads.h"
#include "TestPrograms.h"

namespace smp::test {

/// What the chain makes of all elements.
inline std::vector<float> chained(const TestTensor &x, uint32_t partitions) {
  std::vector<float> values;
  for (float value : x.values)
    values.push_back(chainOf(value, partitions));
  return values;
}

inline SessionOptions onRanks(std::string devices, Communicator &communicator) {
  SessionOptions options;
  options.devices = std::move(devices);
  options.communicator = &communicator;
  options.deadlineSeconds = 30;
  return options;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_RANKSESSIONS_H
