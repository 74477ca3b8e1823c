// SPDX-License-Identifier: Apache-2.0
#include "smp/base/Populate.h"
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

using namespace smp;

namespace {

constexpr size_t kPages = 64, kPage = 4096, kSize = kPages * kPage;

/// New memory of the system.
class NewMemory {
public:
  NewMemory()
      : start(::mmap(nullptr, kSize, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~NewMemory() { ::munmap(start, kSize); }
  std::span<std::byte> all() const {
    return {static_cast<std::byte *>(start), kSize};
  }
  /// How many of its pages are there.
  size_t pages() const {
    std::vector<unsigned char> isThere(kPages);
    EXPECT_EQ(::mincore(start, kSize, isThere.data()), 0);
    size_t count = 0;
    for (const unsigned char each : isThere)
      count += each & 1;
    return count;
  }

private:
  void *const start;
};

TEST(Populate, PagesAreThereAndWhatTheyHaveStays) {
  if (::sysconf(_SC_PAGESIZE) != long(kPage))
    GTEST_SKIP() << "needs pages of " << kPage << " bytes";
  const NewMemory memory;
  memory.all()[10 * kPage] = std::byte(7);
  EXPECT_EQ(memory.pages(), 1u);
  populate(memory.all().subspan(100, kSize - 200)); // All but the outer ones.
  if (memory.pages() == 1)
    GTEST_SKIP() << "this system gives no pages before they are touched";
  EXPECT_EQ(memory.pages(), kPages - 2);
  for (size_t i = 0; i < kPages; ++i)
    EXPECT_EQ(memory.all()[i * kPage], std::byte(i == 10 ? 7 : 0)) << i;
}

TEST(Populate, LittleIsLeftToWhoTouchesIt) {
  const NewMemory memory;
  populate(memory.all().first(2 * kPage));
  populate({});
  EXPECT_EQ(memory.pages(), 0u);
}

} // namespace
