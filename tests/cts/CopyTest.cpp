// SPDX-License-Identifier: Apache-2.0
#include "DeviceCts.h"
#include <numeric>

using namespace smp;
using namespace smp::test;

namespace {
class CopyCts : public DeviceCts {
protected:
  static std::vector<int32_t> counting(size_t size) {
    std::vector<int32_t> values(size);
    std::iota(values.begin(), values.end(), 0);
    return values;
  }
};

TEST_P(CopyCts, UploadThenDownloadGivesTheBytesBack) {
  const std::vector<int32_t> values = counting(1000);
  auto buffer = upload(values);
  EXPECT_EQ(download<int32_t>(*buffer), values);
}

TEST_P(CopyCts, WhereTheHostReadsInPlaceIsWhatTheDeviceHas) {
  const std::vector<int32_t> values = counting(100);
  auto buffer = upload(values);
  const std::byte *const place = device->readableInPlace(*buffer);
  EXPECT_EQ(place != nullptr, GetParam() == "cpu");
  if (place)
    EXPECT_EQ(std::memcmp(place, values.data(), 400), 0);
}

TEST_P(CopyCts, ViewsStartAtTheirOffset) {
  auto from = upload(counting(100));
  auto to = upload(std::vector<int32_t>(100, -1));
  stream->copy({to.get(), 40}, {from.get(), 200}, {12});
  std::vector<int32_t> expected(100, -1);
  expected[10] = 50, expected[11] = 51, expected[12] = 52;
  EXPECT_EQ(download<int32_t>(*to), expected);
}

TEST_P(CopyCts, RowsAreAPitchApart) {
  // A 4x6 matrix: its columns 2 and 3 go to a 4x2 one, and back beside.
  const std::vector<int32_t> matrix = counting(24);
  auto columns = device->allocate(4 * 2 * 4).take();
  stream->upload({columns.get()}, matrix.data() + 2, {8, 4, 8, 24});
  EXPECT_EQ(download<int32_t>(*columns),
            (std::vector<int32_t>{2, 3, 8, 9, 14, 15, 20, 21}));
  std::vector<int32_t> back(24, 0);
  stream->download(back.data() + 4, {columns.get()}, {8, 4, 24, 8});
  ASSERT_TRUE(finish().ok());
  EXPECT_EQ(back[4], 2);
  EXPECT_EQ(back[22], 20);
  EXPECT_EQ(back[23], 21);
  EXPECT_EQ(std::accumulate(back.begin(), back.end(), 0), 92);
}

TEST_P(CopyCts, CopyingNothingTouchesNothing) {
  auto buffer = upload(counting(4));
  stream->copy({buffer.get()}, {buffer.get(), 8}, {0, 5, 4, 4});
  stream->upload({buffer.get()}, nullptr, {4, 0, 4, 4});
  EXPECT_EQ(download<int32_t>(*buffer), counting(4));
}

TEST_P(CopyCts, APeersMemoryIsCopiedByTheStreamOfTheTaker) {
  // On GPUs the other device has its own memory, where there is another GPU.
  const DeviceSpec spec = specOf(1, isGpu() ? "1" : "");
  auto opened = openAll({&spec, 1});
  if (!opened.ok()) {
    ASSERT_EQ(GetParam(), "cuda") << opened.status().message();
    GTEST_SKIP() << "there is no second GPU to copy from: "
                 << opened.status().message();
  }
  Device &other = *opened->front();
  if (isGpu()) {
    EXPECT_FALSE(other.sharesMemoryWith(*device));
  }
  ASSERT_TRUE(other.copiesFrom(*device));
  auto from = upload(std::vector<float>(16, 1.0f));
  auto step = kernel("twice_plus_one16", 2);
  auto made = device->makeEvent(), taken = other.makeEvent();
  auto beside = other.makeStream().take();
  auto whole = other.allocate(64).take(), rows = other.allocate(64).take();
  launch(*step, {{from.get()}, {from.get()}});
  stream->record(*made);
  beside->wait(*made);
  beside->copy({whole.get()}, {from.get()}, {64});
  // Rows of 4 bytes, 8 apart there, 16 apart here.
  beside->copy({rows.get(), 4}, {from.get()}, {4, 3, 16, 8});
  std::vector<float> all(16), some(16, -1);
  beside->upload({rows.get()}, some.data(), {4});
  beside->download(all.data(), {whole.get()}, {64});
  beside->download(&some[1], {rows.get(), 4}, {4, 3, 16, 16});
  beside->record(*taken);
  ASSERT_TRUE(taken->wait().ok());
  EXPECT_EQ(all, std::vector<float>(16, 3.0f));
  for (size_t i = 0; i < some.size(); ++i)
    EXPECT_EQ(some[i], i == 1 || i == 5 || i == 9 ? 3.0f : -1.0f) << i;
}

TEST_P(CopyCts, PinnedHostMemoryIsCopiedAsAnyOther) {
  std::vector<int32_t> host = counting(4096), back(4096, -1);
  const uint64_t bytes = host.size() * sizeof(int32_t);
  auto pinned = device->pinHost(host.data(), bytes);
  auto pinnedBack = device->pinHost(back.data(), bytes / 2);
  EXPECT_EQ(pinned != nullptr, isGpu());
  auto buffer = device->allocate(bytes).take();
  stream->upload({buffer.get()}, host.data(), {bytes});
  stream->download(back.data(), {buffer.get()}, {bytes / 2});
  // Only its first half is pinned.
  stream->download(&back[2000], {buffer.get(), 8000}, {bytes - 8000});
  ASSERT_TRUE(finish().ok());
  EXPECT_EQ(back, host);
  pinned.reset();
  pinnedBack.reset();
  stream->upload({buffer.get()}, &host[1], {4});
  EXPECT_EQ(download<int32_t>(*buffer)[0], 1);
}

TEST_P(CopyCts, ThereMayBeManyThatNobodyWaitedFor) {
  const std::vector<int32_t> host = counting(500);
  std::vector<int32_t> back(500, -1);
  auto buffer = device->allocate(4).take();
  for (int runs = 0; runs < 2; ++runs) {
    for (size_t i = 0; i < host.size(); ++i) {
      stream->upload({buffer.get()}, &host[i], {4});
      stream->download(&back[i], {buffer.get()}, {4});
    }
    ASSERT_TRUE(finish().ok());
    EXPECT_EQ(back, host);
    back.assign(500, -1);
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, CopyCts, testing::ValuesIn(driverNames()));
} // namespace
