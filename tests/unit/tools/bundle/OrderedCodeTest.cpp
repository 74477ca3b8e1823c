// SPDX-License-Identifier: Apache-2.0
#include "OrderedCode.h"
#include <bit>
#include <gtest/gtest.h>

using namespace smp;
using namespace std::string_literals;

static std::string signedBytes(int64_t value) {
  std::string bytes;
  appendOrderedSigned(bytes, value);
  return bytes;
}

TEST(OrderedCode, SignedNumbersHaveTheBytesOfTheFormat) {
  EXPECT_EQ(signedBytes(0), "\x80"s);
  EXPECT_EQ(signedBytes(-1), "\x7f"s);
  EXPECT_EQ(signedBytes(63), "\xbf"s);
  EXPECT_EQ(signedBytes(64), "\xc0\x40"s);
  EXPECT_EQ(signedBytes(-65), "\x3f\xbf"s);
  EXPECT_EQ(signedBytes(8900), "\xe0\x22\xc4"s); // As in a golden bundle.
  EXPECT_EQ(signedBytes(INT64_MAX),
            "\xff\xc0\x7f\xff\xff\xff\xff\xff\xff\xff"s);
  EXPECT_EQ(signedBytes(INT64_MIN),
            "\x00\x3f\x80\x00\x00\x00\x00\x00\x00\x00"s);
}

TEST(OrderedCode, SignedNumbersAreInTheirOrder) {
  std::vector<int64_t> numbers = {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1,
                                  INT64_MAX, 0};
  for (int bits = 0; bits < 63; ++bits)
    for (const int64_t sign : {-1, 1})
      for (const int64_t add : {-1, 0, 1})
        numbers.push_back(sign * ((int64_t(1) << bits) + add));
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  for (size_t i = 1; i < numbers.size(); ++i)
    EXPECT_LT(signedBytes(numbers[i - 1]), signedBytes(numbers[i]))
        << numbers[i];
}

TEST(OrderedCode, TextsAndNumbersEnd) {
  std::string bytes;
  appendOrderedText(bytes, "a\0\xff"s);
  EXPECT_EQ(bytes, "a\x00\xff\xff\x00\x00\x01"s);
  bytes.clear();
  appendOrderedNumber(bytes, 0);
  appendOrderedNumber(bytes, 2);
  appendOrderedNumber(bytes, 0x1234);
  EXPECT_EQ(bytes, "\x00\x01\x02\x02\x12\x34"s);
}

TEST(OrderedCode, ASliceHasTheKeyOfTheFormat) {
  const SliceExtent extents[] = {{0, 2}, {}};
  EXPECT_EQ(sliceKey("w", extents), "\x00w\x00\x01\x01\x02\x80\x82\x80\x7f"s);
}
