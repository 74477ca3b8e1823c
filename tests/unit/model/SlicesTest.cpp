// SPDX-License-Identifier: Apache-2.0
// Slices against a count of every element.
#include "RandomSlices.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>

using namespace smp;
using namespace smp::test;

namespace {

/// Calls `visit` with every element of the slice, row-major.
template <typename Visit>
void forEach(const TensorSlice &slice, Visit visit) {
  Shape at = slice.offset;
  const int64_t count = numElements(slice.extent);
  for (int64_t i = 0; i < count; ++i) {
    visit(at);
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < slice.offset[d] + slice.extent[d])
        break;
      at[d] = slice.offset[d];
    }
  }
}

std::optional<CoverFault> countedFault(const Shape &shape,
                                       const std::vector<TensorSlice> &slices) {
  std::map<Shape, int64_t> times;
  forEach(wholeOf(shape), [&](const Shape &at) { times[at] = 0; });
  for (const TensorSlice &slice : slices)
    forEach(slice, [&](const Shape &at) { ++times[at]; });
  for (const auto &[at, count] : times)
    if (count != 1)
      return CoverFault{at, count};
  return std::nullopt;
}

/// At times without elements.
Shape smallShape(RandomSlices &random) {
  Shape shape(size_t(random.upTo(4)));
  for (int64_t &size : shape)
    size = random.upTo(11) == 0 ? 0 : 1 + random.upTo(4);
  return shape;
}

TEST(Slices, CoverIsThatOfACount) {
  const uint32_t seed = 20261123;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomSlices random(seed);
  int faults = 0, covers = 0;
  for (int i = 0; i < 200000; ++i) {
    const Shape shape = smallShape(random);
    std::vector<TensorSlice> slices = random.cover(shape, random.upTo(7));
    if (i % 2) // Something is missing, there twice, or elsewhere.
      switch (random.upTo(2)) {
      case 0:
        slices.pop_back();
        break;
      case 1:
        slices.push_back(random.sliceOf(shape));
        break;
      default:
        slices.back() = random.sliceOf(shape);
      }
    const auto expected = countedFault(shape, slices);
    const auto found = findCoverFault(shape, slices);
    ASSERT_EQ(found.has_value(), expected.has_value()) << toString(shape);
    if (!found) {
      ++covers;
      continue;
    }
    ++faults;
    EXPECT_EQ(found->element, expected->element);
    EXPECT_EQ(found->times, expected->times);
  }
  EXPECT_GT(faults, 2000);
  EXPECT_GT(covers, 10000);
}

TEST(Slices, ManyDimensionsCostNoMore) {
  Shape shape(40, 2);
  std::vector<TensorSlice> slices;
  TensorSlice rest = wholeOf(shape);
  for (size_t d = 0; d < shape.size(); ++d) { // A corner after the other.
    TensorSlice half = rest;
    half.extent[d] = 1;
    slices.push_back(half);
    rest.offset[d] = rest.extent[d] = 1;
  }
  const auto fault = findCoverFault(shape, slices);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->element, Shape(40, 1));
  EXPECT_EQ(fault->times, 0);
  slices.push_back(rest);
  EXPECT_FALSE(findCoverFault(shape, slices));
}

TEST(Slices, WhatIsCommonIsCopied) {
  const uint32_t seed = 7;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomSlices random(seed);
  int64_t copied = 0;
  for (int i = 0; i < 20000; ++i) {
    const Shape shape = smallShape(random);
    const TensorSlice from = random.sliceOf(shape), to = random.sliceOf(shape);
    std::vector<uint16_t> source(size_t(numElements(from.extent)));
    std::iota(source.begin(), source.end(), uint16_t(1));
    std::vector<uint16_t> target(size_t(numElements(to.extent)), 0);
    std::map<Shape, uint16_t> values;
    size_t next = 0;
    forEach(from, [&](const Shape &at) { values[at] = source[next++]; });
    copyCommon(from, reinterpret_cast<const std::byte *>(source.data()), to,
               reinterpret_cast<std::byte *>(target.data()), 2);
    next = 0;
    forEach(to, [&](const Shape &at) {
      const auto value = values.find(at);
      EXPECT_EQ(target[next++], value == values.end() ? 0 : value->second);
      copied += value != values.end();
    });
  }
  EXPECT_GT(copied, 1000);
}

TEST(Slices, RunsOfARangeAreThoseOfAllInParts) {
  const uint32_t seed = 11;
  SCOPED_TRACE("seed " + std::to_string(seed));
  RandomSlices random(seed);
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  int64_t elements = 0;
  for (int i = 0; i < 20000; ++i) {
    const Shape shape = smallShape(random);
    const TensorSlice from = random.sliceOf(shape), to = random.sliceOf(shape);
    Pairs all, inParts;
    auto addTo = [](Pairs &pairs) {
      return [&](const CommonRun &run) {
        for (int64_t k = 0; k < run.elements; ++k)
          pairs.push_back({run.first + k, run.second + k});
      };
    };
    forEachCommonRun(from, to, addTo(all));
    const int64_t count = numElements(from.extent);
    for (int64_t begin = 0; begin < count;) {
      const int64_t end = std::min(count, begin + 1 + random.upTo(9));
      const size_t before = inParts.size();
      forEachCommonRun(from, to, begin, end, addTo(inParts));
      for (size_t k = before; k < inParts.size(); ++k)
        ASSERT_TRUE(inParts[k].first >= begin && inParts[k].first < end);
      begin = end;
    }
    ASSERT_EQ(inParts, all);
    elements += int64_t(all.size());
  }
  EXPECT_GT(elements, 1000);
}

TEST(Slices, AreWrittenAsOffsetAndExtent) {
  EXPECT_EQ(toString(TensorSlice{{0, 12}, {4, 3}}), "0,4:12,3");
  EXPECT_EQ(toString(TensorSlice()), "");
}

} // namespace
