// SPDX-License-Identifier: Apache-2.0
#include "Slices.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace smp;

TEST(Slices, HolesAndOverlapsAreFound) {
  const Shape shape = {4, 6};
  const Slice top = {{0, 2}, {0, 6}}, left = {{2, 2}, {0, 3}},
              right = {{2, 2}, {3, 3}}, middle = {{2, 2}, {2, 2}};
  EXPECT_TRUE(checkSlices(shape, std::vector{top, left, right}).ok());
  EXPECT_EQ(checkSlices(shape, std::vector{top, left}).message(),
            "the slices have 18 elements of 24");
  const Status both = checkSlices(shape, std::vector{top, left, middle});
  EXPECT_NE(both.message().find("2x3 from 2,0 and 2x2 from 2,2 overlap"),
            std::string::npos)
      << both.message();
  EXPECT_FALSE(checkSlices(shape, std::vector{top, top}).ok());
}

TEST(Slices, TensorsWithoutElementsAndScalars) {
  EXPECT_TRUE(checkSlices({0, 4}, std::vector<Slice>{{{0, 0}, {0, 4}}}).ok());
  EXPECT_TRUE(checkSlices({}, std::vector<Slice>(1)).ok());
  EXPECT_FALSE(checkSlices({}, std::vector<Slice>(2)).ok());
}

TEST(Slices, ExtentsMustLieInTheTensor) {
  using Extents = std::vector<SliceExtent>;
  EXPECT_EQ(toString(*resolveSlice({4, 6}, Extents{{}, {2, 3}})),
            "4x3 from 0,2");
  for (const Extents &wrong : {Extents{{0, 4}},
                               {{0, 5}, {}},
                               {{-1, 2}, {}},
                               {{1, -1}, {}},
                               {{5, 0}, {}},
                               {{INT64_MAX, INT64_MAX}, {}},
                               {{0, -2}, {}}})
    EXPECT_EQ(resolveSlice({4, 6}, wrong).status().code(),
              StatusCode::DataLoss);
}

/// Cuts a box along random axes until the parts are small.
static void cut(const Slice &slice, std::mt19937 &random,
                std::vector<Slice> &parts) {
  const size_t axis = random() % slice.size();
  if (slice[axis].length < 2 || random() % 8 == 0) {
    parts.push_back(slice);
    return;
  }
  Slice first = slice, second = slice;
  first[axis].length = 1 + int64_t(random() % uint64_t(slice[axis].length - 1));
  second[axis].start += first[axis].length;
  second[axis].length -= first[axis].length;
  cut(first, random, parts);
  cut(second, random, parts);
}

TEST(Slices, AnyCutIsJoinedAgain) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 200; ++round) {
    const Shape shape = {int64_t(random() % 5 + 1), int64_t(random() % 5 + 1),
                         int64_t(random() % 5 + 1)};
    std::vector<Slice> parts;
    cut({{0, shape[0]}, {0, shape[1]}, {0, shape[2]}}, random, parts);
    std::shuffle(parts.begin(), parts.end(), random);
    ASSERT_TRUE(checkSlices(shape, parts).ok());
    std::vector<std::byte> joined(size_t(numElements(shape)) * 2);
    for (const Slice &part : parts) {
      std::vector<uint16_t> elements;
      for (int64_t i = 0; i < part[0].length; ++i)
        for (int64_t j = 0; j < part[1].length; ++j)
          for (int64_t k = 0; k < part[2].length; ++k)
            elements.push_back(
                uint16_t(((part[0].start + i) * shape[1] + part[1].start + j) *
                             shape[2] +
                         part[2].start + k));
      copySlice(shape, part, 2, std::as_bytes(std::span(elements)).data(),
                joined.data());
    }
    for (size_t i = 0; i < joined.size() / 2; ++i)
      ASSERT_EQ(size_t(joined[2 * i]) | size_t(joined[2 * i + 1]) << 8, i);
    parts.erase(parts.begin() + ptrdiff_t(random() % parts.size()));
    EXPECT_FALSE(checkSlices(shape, parts).ok());
  }
}
