// SPDX-License-Identifier: Apache-2.0
#include "smp/model/Slices.h"
#include <algorithm>
#include <cstring>

namespace smp {

TensorSlice wholeOf(const Shape &shape) {
  return {Shape(shape.size(), 0), shape};
}

std::string toString(const TensorSlice &slice) {
  std::string text;
  for (size_t d = 0; d < slice.offset.size(); ++d) {
    text += d ? ":" : "";
    text += std::to_string(slice.offset[d]);
    text += ",";
    text += std::to_string(slice.extent[d]);
  }
  return text;
}

std::optional<TensorSlice> intersection(const TensorSlice &one,
                                        const TensorSlice &other) {
  TensorSlice common = one;
  for (size_t d = 0; d < one.offset.size(); ++d) {
    const int64_t begin = std::max(one.offset[d], other.offset[d]);
    const int64_t end = std::min(one.offset[d] + one.extent[d],
                                 other.offset[d] + other.extent[d]);
    if (begin >= end)
      return std::nullopt;
    common.offset[d] = begin;
    common.extent[d] = end - begin;
  }
  return common;
}

//===----------------------------------------------------------------------===//
// Cover
//===----------------------------------------------------------------------===//

// Each place of a dimension gets a random number, and a slice the product over
// the dimensions of the differences between that of its begin and of its end.
// The sum of all slices is that of the tensor when they cover it exactly, and
// else, but once in about 2^58 times, it is not.

static constexpr uint64_t kPrime = (uint64_t(1) << 61) - 1;

static uint64_t multiply(uint64_t one, uint64_t other) {
  __extension__ using Wide = unsigned __int128;
  return uint64_t(Wide(one) * other % kPrime);
}
static uint64_t subtract(uint64_t one, uint64_t other) {
  return one >= other ? one - other : one + kPrime - other;
}

/// splitmix64.
static uint64_t randomOf(size_t dimension, int64_t place) {
  uint64_t x = (uint64_t(place) + 1) * 0x9e3779b97f4a7c15 + dimension;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return (x ^ (x >> 31)) % kPrime;
}

/// Of the dimensions from `first` on.
static uint64_t weightOf(const TensorSlice &slice, size_t first) {
  uint64_t weight = 1;
  for (size_t d = first; d < slice.offset.size(); ++d)
    weight = multiply(weight,
                      subtract(randomOf(d, slice.offset[d]),
                               randomOf(d, slice.offset[d] + slice.extent[d])));
  return weight;
}

/// The first place of a dimension at which what the slices have in the
/// dimensions after it is not all.
static std::optional<int64_t>
findFaultAlong(size_t dimension, const TensorSlice &whole,
               const std::vector<const TensorSlice *> &slices) {
  struct Change {
    int64_t place;
    uint64_t weight;
  };
  std::vector<Change> changes{{whole.extent[dimension], 0}};
  for (const TensorSlice *slice : slices) {
    const int64_t begin = slice->offset[dimension];
    const uint64_t weight = weightOf(*slice, dimension + 1);
    changes.push_back({begin, weight});
    changes.push_back({begin + slice->extent[dimension], subtract(0, weight)});
  }
  std::sort(changes.begin(), changes.end(),
            [](auto &a, auto &b) { return a.place < b.place; });
  const uint64_t all = weightOf(whole, dimension + 1);
  uint64_t sum = 0;
  int64_t place = 0;
  for (const Change &change : changes) {
    if (change.place > place && sum != all)
      return place;
    place = change.place;
    sum = (sum + change.weight) % kPrime;
  }
  return std::nullopt;
}

std::optional<CoverFault> findCoverFault(const Shape &shape,
                                         std::span<const TensorSlice> slices) {
  const TensorSlice whole = wholeOf(shape);
  if (!intersection(whole, whole))
    return std::nullopt;
  std::vector<const TensorSlice *> there;
  for (const TensorSlice &slice : slices)
    if (intersection(slice, slice))
      there.push_back(&slice);
  CoverFault fault;
  for (size_t d = 0; d < shape.size(); ++d) {
    const std::optional<int64_t> place = findFaultAlong(d, whole, there);
    if (!place && d == 0)
      return std::nullopt;
    fault.element.push_back(place.value_or(0));
    std::erase_if(there, [&](const TensorSlice *slice) {
      const int64_t within = fault.element[d] - slice->offset[d];
      return within < 0 || within >= slice->extent[d];
    });
  }
  fault.times = int64_t(there.size());
  return fault.times == 1 ? std::nullopt : std::optional(fault);
}

//===----------------------------------------------------------------------===//
// What two have in common
//===----------------------------------------------------------------------===//

/// Where the first element of `part` is in `slice`, row-major.
static int64_t startIn(const TensorSlice &slice, const TensorSlice &part,
                       const Shape &strides) {
  int64_t start = 0;
  for (size_t d = 0; d < strides.size(); ++d)
    start += (part.offset[d] - slice.offset[d]) * strides[d];
  return start;
}

namespace {
/// The runs that make up what two slices have in common, one after the other.
class CommonRuns {
public:
  CommonRuns(const TensorSlice &first, const TensorSlice &second,
             const TensorSlice &common)
      : strides(rowMajorStrides(first.extent)),
        others(rowMajorStrides(second.extent)), extent(common.extent),
        start{startIn(first, common, strides), startIn(second, common, others),
              1} {
    // Dimensions from here on lie in one run in both.
    size_t outer = extent.size();
    while (outer > 0 && strides[outer - 1] == start.elements &&
           others[outer - 1] == start.elements)
      start.elements *= extent[--outer];
    place.resize(outer);
  }

  int64_t count() const {
    int64_t product = 1;
    for (size_t d = 0; d < place.size(); ++d)
      product *= extent[d];
    return product;
  }

  const CommonRun &seek(int64_t number) {
    run = start;
    for (size_t d = place.size(); d-- > 0; number /= extent[d]) {
      place[d] = number % extent[d];
      run.first += place[d] * strides[d];
      run.second += place[d] * others[d];
    }
    return run;
  }

  /// The one after it; null at the end.
  const CommonRun *next() {
    size_t d = place.size();
    for (; d > 0 && place[d - 1] + 1 == extent[d - 1]; --d) {
      run.first -= place[d - 1] * strides[d - 1];
      run.second -= place[d - 1] * others[d - 1];
      place[d - 1] = 0;
    }
    if (d == 0)
      return nullptr;
    ++place[d - 1];
    run.first += strides[d - 1];
    run.second += others[d - 1];
    return &run;
  }

private:
  const Shape strides, others, extent;
  CommonRun start, run{};
  Shape place; // Of the run, in the outer dimensions.
};
} // namespace

void forEachCommonRun(const TensorSlice &first, const TensorSlice &second,
                      int64_t begin, int64_t end,
                      const std::function<void(const CommonRun &)> &visit) {
  const std::optional<TensorSlice> common = intersection(first, second);
  if (!common)
    return;
  CommonRuns runs(first, second, *common);
  int64_t number = 0; // Of the first run that ends behind `begin`.
  for (int64_t last = runs.count() - 1; number < last;) {
    const int64_t middle = number + (last - number) / 2;
    const CommonRun &run = runs.seek(middle);
    if (run.first + run.elements > begin)
      last = middle;
    else
      number = middle + 1;
  }
  for (const CommonRun *at = &runs.seek(number); at && at->first < end;
       at = runs.next()) {
    const int64_t from = std::max(begin, at->first),
                  to = std::min(end, at->first + at->elements);
    if (from < to)
      visit({from, at->second + from - at->first, to - from});
  }
}

void forEachCommonRun(const TensorSlice &first, const TensorSlice &second,
                      const std::function<void(const CommonRun &)> &visit) {
  forEachCommonRun(first, second, 0, numElements(first.extent), visit);
}

void copyCommon(const TensorSlice &from, const std::byte *source,
                const TensorSlice &to, std::byte *target, size_t elementBytes) {
  forEachCommonRun(from, to, [&](const CommonRun &run) {
    std::memcpy(target + size_t(run.second) * elementBytes,
                source + size_t(run.first) * elementBytes,
                size_t(run.elements) * elementBytes);
  });
}

} // namespace smp
