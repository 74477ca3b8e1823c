// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Populate.h"
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace smp {

/// Less is touched as fast.
static constexpr size_t kLeast = 64 << 10;

void populate(std::span<std::byte> memory) {
#ifdef MADV_POPULATE_WRITE
  constexpr int kAdvice = MADV_POPULATE_WRITE;
#else
  constexpr int kAdvice = 23; // As the kernel has it; older C libraries do not.
#endif
  if (memory.size() < kLeast)
    return;
  static const auto page = uintptr_t(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<uintptr_t>(memory.data());
  const uintptr_t first = (begin + page - 1) / page * page,
                  last = (begin + memory.size()) / page * page;
  (void)::madvise(memory.data() + (first - begin), last - first, kAdvice);
}

} // namespace smp
