// SPDX-License-Identifier: Apache-2.0
// Records are those that TensorBoard itself makes.
#include "smp/serialization/TensorboardEvent.h"
#include <gtest/gtest.h>

using namespace smp;

static std::string hexOf(const std::vector<std::byte> &bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += kDigits[unsigned(byte) >> 4];
    text += kDigits[unsigned(byte) & 15];
  }
  return text;
}

TEST(TensorboardEvent, ThatNamesTheVersion) {
  std::vector<std::byte> file;
  appendTensorboardVersion(1.5, file);
  EXPECT_EQ(hexOf(file), "1800000000000000a37f4b2209000000000000f83f1a0d627261"
                         "696e2e4576656e743a322a28646c");
}

TEST(TensorboardEvent, ThatStartsASession) {
  std::vector<std::byte> file;
  appendSessionStart(1.5, 1500, file);
  EXPECT_EQ(hexOf(file), "100000000000000095fbfe1809000000000000f83f10dc0b3a02"
                         "08016528c177");
}

TEST(TensorboardEvent, OfANumber) {
  std::vector<std::byte> file;
  appendScalarSummary(1.5, 1500, "loss", 0, file);
  EXPECT_EQ(hexOf(file), "1b000000000000001a0d9e1309000000000000f83f10dc0b2a0d"
                         "0a0b0a046c6f73731500000000c826c79b");
}

TEST(TensorboardEvent, OfAHistogram) {
  Histogram histogram;
  histogram.min = -1;
  histogram.max = 2;
  histogram.count = 3;
  histogram.sum = 1.5;
  histogram.sumOfSquares = 5.25;
  histogram.limits = {-0.5, 0, 2.5};
  histogram.counts = {1, 0, 2};
  std::vector<std::byte> file;
  appendHistogramSummary(1.5, 1500, "all/w", histogram, file);
  EXPECT_EQ(hexOf(file),
            "7a000000000000001389867809000000000000f83f10dc0b2a6c0a6a0a05616c6c"
            "2f772a6109000000000000f0bf1100000000000000401900000000000008402100"
            "0000000000f83f2900000000000015403218000000000000e0bf00000000000000"
            "0000000000000004403a18000000000000f03f0000000000000000000000000000"
            "0040cab4ff65");
}
