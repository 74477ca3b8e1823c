// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Populate.h"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace smp;

namespace {

constexpr size_t kPages = 64;

/// New memory of the system.
class NewMemory {
public:
  NewMemory()
      : start(::mmap(nullptr, kPages * page, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~NewMemory() { ::munmap(start, kPages * page); }
  std::span<std::byte> all() const {
    return {static_cast<std::byte *>(start), kPages * page};
  }
  /// How many of its pages are there.
  size_t pages() const {
    std::vector<unsigned char> isThere(kPages);
    EXPECT_EQ(::mincore(start, kPages * page, isThere.data()), 0);
    size_t count = 0;
    for (const unsigned char each : isThere)
      count += each & 1;
    return count;
  }

  const size_t page = size_t(::sysconf(_SC_PAGESIZE));

private:
  void *const start;
};

/// Whether the system has what populate() asks for: MADV_POPULATE_WRITE.
bool canPopulate() {
  const NewMemory memory;
  return ::madvise(memory.all().data(), memory.all().size(), 23) == 0;
}

TEST(Populate, PagesAreThereAndWhatTheyHaveStays) {
  const NewMemory memory;
  memory.all()[10 * memory.page] = std::byte(7);
  EXPECT_EQ(memory.pages(), 1u);
  // All but the outer ones.
  populate(memory.all().subspan(100, memory.all().size() - 200));
  EXPECT_EQ(memory.pages(), canPopulate() ? kPages - 2 : 1);
  for (size_t i = 0; i < kPages; ++i)
    EXPECT_EQ(memory.all()[i * memory.page], std::byte(i == 10 ? 7 : 0)) << i;
}

TEST(Populate, LittleIsLeftToWhoTouchesIt) {
  const NewMemory memory;
  populate(memory.all().first(60 << 10));
  populate({});
  EXPECT_EQ(memory.pages(), 0u);
}

} // namespace
