// SPDX-License-Identifier: Apache-2.0
#include "DiffValues.h"
#include "smp/model/Elements.h"
#include <algorithm>
#include <cmath>

namespace smp {

using Bytes = std::span<const std::byte>;

/// Of element `at` of a box, row-major.
static Shape indexOf(const TensorSlice &box, size_t at) {
  Shape index = box.offset;
  for (size_t d = box.extent.size(); d-- > 0;) {
    index[d] += int64_t(at) % box.extent[d];
    at = size_t(int64_t(at) / box.extent[d]);
  }
  return index;
}

static void count(ValueDifference &difference, const TensorSlice &box,
                  size_t at) {
  if (difference.differing++ == 0)
    difference.first = indexOf(box, at);
}

/// Wide enough for every integer.
static long double numberOf(DType dtype, Bytes bytes, size_t at) {
  return visitElement(dtype, bytes, at, [](auto value) {
    return static_cast<long double>(value);
  });
}

static void addNumbers(ValueDifference &difference, long double one,
                       long double other) {
  if (!std::isfinite(one) || !std::isfinite(other)) {
    ++difference.withoutNumber;
    return;
  }
  const long double distance = std::fabs(one - other),
                    size = std::max(std::fabs(one), std::fabs(other));
  difference.largestAbsolute =
      std::max(difference.largestAbsolute, double(distance));
  if (size > 0)
    difference.largestRelative =
        std::max(difference.largestRelative, double(distance / size));
}

void addBox(ValueDifference &difference, DType dtype, const TensorSlice &box,
            Bytes one, Bytes other) {
  const size_t elementBytes = sizeOf(dtype),
               elements = one.size() / elementBytes;
  difference.elements += elements;
  if (std::memcmp(one.data(), other.data(), one.size()) == 0)
    return;
  for (size_t i = 0; i < elements; ++i) {
    const size_t at = i * elementBytes;
    if (std::memcmp(one.data() + at, other.data() + at, elementBytes) == 0)
      continue;
    count(difference, box, i);
    addNumbers(difference, numberOf(dtype, one, i), numberOf(dtype, other, i));
  }
}

ValueDifference diffTexts(const Shape &shape,
                          const std::vector<std::string> &one,
                          const std::vector<std::string> &other) {
  ValueDifference difference;
  difference.elements = one.size();
  for (size_t i = 0; i < one.size(); ++i)
    if (one[i] != other[i])
      count(difference, wholeOf(shape), i);
  difference.withoutNumber = difference.differing;
  return difference;
}

ValueDifference diffBits(const Shape &shape, Bytes one, Bytes other) {
  const auto elements = size_t(numElements(shape));
  ValueDifference difference;
  difference.elements = elements;
  for (size_t i = 0; i < elements; ++i) {
    // Whatever an element is; the last one has what is left.
    const size_t begin = one.size() / elements * i,
                 end = i + 1 < elements ? begin + one.size() / elements
                                        : one.size();
    if (!std::equal(one.begin() + ptrdiff_t(begin),
                    one.begin() + ptrdiff_t(end),
                    other.begin() + ptrdiff_t(begin)))
      count(difference, wholeOf(shape), i);
  }
  difference.withoutNumber = difference.differing;
  return difference;
}

} // namespace smp
