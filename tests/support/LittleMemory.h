// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_TESTS_SUPPORT_LITTLEMEMORY_H
#define SMP_TESTS_SUPPORT_LITTLEMEMORY_H

#include <cstdint>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

namespace smp::test {

/// Lets the process have `bytes` more addresses than it has, and no more.
inline void limitAddresses(uint64_t bytes) {
  uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const uint64_t all = pages * uint64_t(sysconf(_SC_PAGESIZE)) + bytes;
  const rlimit limit = {all, all};
  setrlimit(RLIMIT_AS, &limit);
}

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_LITTLEMEMORY_H
