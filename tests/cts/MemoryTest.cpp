// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"

using namespace smp;
using namespace smp::test;

namespace {
class MemoryCts : public DeviceCts {};

TEST_P(MemoryCts, CountsWhatIsAllocatedAndTheMostAtOnce) {
  const uint64_t before = device->memory().current();
  auto first = device->allocate(1000).take();
  auto second = device->allocate(500).take();
  EXPECT_EQ(first->size(), 1000u);
  EXPECT_EQ(device->memory().current(), before + 1500);
  first.reset();
  EXPECT_EQ(device->memory().current(), before + 500);
  EXPECT_EQ(device->memory().peak(), before + 1500);
}

TEST_P(MemoryCts, NothingIsAllocatedPastTheLimit) {
  DeviceOptions options;
  options.memoryLimit = 1000;
  auto limited = open(options, 1).take();
  auto first = limited->allocate(600).take();
  auto second = limited->allocate(401);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().code(), StatusCode::ResourceExhausted);
  EXPECT_NE(second.status().message().find("401 bytes"), std::string::npos)
      << second.status().message();
  EXPECT_NE(second.status().message().find("limit of 1000"), std::string::npos)
      << second.status().message();
  EXPECT_TRUE(limited->allocate(400).ok());
  EXPECT_EQ(limited->memory().current(), 600u);
}

TEST_P(MemoryCts, AnEmptyBufferIsFine) {
  auto empty = device->allocate(0);
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ((*empty)->size(), 0u);
}

TEST_P(MemoryCts, UsesTheApplicationsAllocator) {
  struct Counts {
    int allocated = 0, released = 0;
    size_t bytes = 0;
  } counts;
  DeviceOptions options;
  options.allocator.user = &counts;
  options.allocator.allocate = [](void *user, size_t bytes, size_t align) {
    auto &counts = *static_cast<Counts *>(user);
    ++counts.allocated;
    counts.bytes += bytes;
    return std::aligned_alloc(align, (bytes + align - 1) / align * align);
  };
  options.allocator.release = [](void *user, void *data, size_t bytes) {
    auto &counts = *static_cast<Counts *>(user);
    ++counts.released;
    counts.bytes -= bytes;
    std::free(data);
  };
  auto own = open(options, 2).take();
  auto buffer = own->allocate(100).take();
  const int fromHost = isGpu() ? 0 : 1; // A GPU's memory is its own.
  EXPECT_EQ(counts.allocated, fromHost);
  EXPECT_EQ(counts.bytes, 100u * fromHost);
  buffer.reset();
  EXPECT_EQ(counts.released, fromHost);
  EXPECT_EQ(counts.bytes, 0u);
}

/// Gives 8 bytes behind what aligned_alloc() gives.
HostAllocator misaligning(int &held) {
  HostAllocator allocator;
  allocator.user = &held;
  allocator.allocate = [](void *user, size_t bytes, size_t align) -> void * {
    ++*static_cast<int *>(user);
    const size_t whole = (bytes + 8 + align - 1) / align * align;
    return static_cast<char *>(std::aligned_alloc(align, whole)) + 8;
  };
  allocator.release = [](void *user, void *data, size_t) {
    --*static_cast<int *>(user);
    std::free(static_cast<char *>(data) - 8);
  };
  return allocator;
}

TEST_P(MemoryCts, RefusesMemoryThatIsNotAligned) {
  int held = 0;
  DeviceOptions options;
  options.allocator = misaligning(held);
  auto own = open(options, 2);
  const Status status =
      own.ok() ? (*own)->allocate(100).status() : own.status();
  EXPECT_EQ(held, 0);
  if (isGpu()) { // Its memory is its own.
    EXPECT_TRUE(status.ok()) << status.message();
    return;
  }
  EXPECT_EQ(status.code(), StatusCode::InvalidArgument);
  EXPECT_NE(status.message().find("bytes at 0x"), std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("a multiple of the alignment that it is "
                                  "asked for, 64"),
            std::string::npos)
      << status.message();
}

TEST_P(MemoryCts, AnAllocatorThatThrowsHasNoMemory) {
  DeviceOptions options;
  options.allocator.allocate = [](void *, size_t, size_t) -> void * {
    throw std::bad_alloc();
  };
  options.allocator.release = [](void *, void *, size_t) {};
  auto own = open(options, 2);
  const Status status =
      own.ok() ? (*own)->allocate(100).status() : own.status();
  if (isGpu()) { // Its memory is its own.
    EXPECT_TRUE(status.ok()) << status.message();
    return;
  }
  EXPECT_EQ(status.code(), StatusCode::ResourceExhausted);
  EXPECT_NE(status.message().find("allocator threw: std::bad_alloc"),
            std::string::npos)
      << status.message();
}

TEST_P(MemoryCts, ImportedHostMemoryIsUsedInPlace) {
  alignas(64) float values[16], others[16];
  auto buffer = device->importHost(values, sizeof(values));
  if (!buffer) { // Then it imports none at all, and everybody copies.
    EXPECT_EQ(device->importHost(nullptr, 0), nullptr);
    return;
  }
  auto one = upload(std::vector<float>(16, 1.0f));
  auto add = kernel("add16", 3);
  launch(*add, {{one.get()}, {one.get()}, {buffer.get()}});
  ASSERT_TRUE(finish().ok());
  EXPECT_EQ(values[15], 2.0f);
  device->reimportHost(*buffer, others, sizeof(others));
  launch(*add, {{one.get()}, {one.get()}, {buffer.get()}});
  ASSERT_TRUE(finish().ok());
  EXPECT_EQ(others[0], 2.0f);
}

INSTANTIATE_TEST_SUITE_P(Drivers, MemoryCts, testing::ValuesIn(driverNames()));
} // namespace
