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

INSTANTIATE_TEST_SUITE_P(Drivers, CopyCts, testing::ValuesIn(driverNames()));
} // namespace
