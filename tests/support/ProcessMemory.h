// SPDX-License-Identifier: Apache-2.0
// What memory this process takes, as the kernel counts it.

#ifndef SMP_TESTS_SUPPORT_PROCESSMEMORY_H
#define SMP_TESTS_SUPPORT_PROCESSMEMORY_H

#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

namespace smp::test {

/// A line of /proc/self/status in bytes: "VmRSS:", what is in memory now,
/// "VmHWM:", the most that was. 0: there is no such line.
inline uint64_t statusBytes(const std::string &field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(field))
      return std::strtoull(line.c_str() + field.size(), nullptr, 10) << 10;
  return 0;
}

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_PROCESSMEMORY_H
