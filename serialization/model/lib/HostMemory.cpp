// SPDX-License-Identifier: Apache-2.0
#include "smp/model/HostMemory.h"
#include <algorithm>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/// So much is not asked for.
static constexpr uint64_t kSmall = uint64_t(1) << 20;
/// Kept, beside what is large, for what is small: stacks, lists, names.
static constexpr uint64_t kReserve = uint64_t(64) << 20;

/// What the machine has, or the limit of the process when that is less.
static uint64_t memoryBound() {
  uint64_t bound =
      uint64_t(sysconf(_SC_PHYS_PAGES)) * uint64_t(sysconf(_SC_PAGE_SIZE));
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    bound = std::min<uint64_t>(bound, limit.rlim_cur);
  return bound;
}

/// Whether the system would give so many bytes now.
static bool canMap(uint64_t bytes) {
  void *memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, /*offset=*/0);
  if (memory == MAP_FAILED)
    return false;
  munmap(memory, bytes);
  return true;
}

std::string smp::checkMemory(uint64_t bytes) {
  if (bytes <= kSmall)
    return {};
  const uint64_t bound = memoryBound();
  if (bytes <= bound && canMap(bytes + std::min(bytes, kReserve)))
    return {};
  return "needs " + std::to_string(bytes) +
         " bytes of memory beside those in use, and the process may have " +
         std::to_string(bound) + " in all; run it where there is more";
}
