// SPDX-License-Identifier: Apache-2.0
#include "Numbers.h"
#include "smp/model/Float16.h"
#include <cstring>
#include <limits>

using namespace smp;
using namespace smp::reference;

template <typename Stored, typename Wide, typename Convert>
static std::vector<Wide> load(const HostTensor &tensor, Convert convert) {
  size_t count = size_t(tensor.type.elements());
  std::vector<Wide> numbers(count);
  for (size_t i = 0; i < count; ++i) {
    Stored element;
    std::memcpy(&element, tensor.bytes.data() + i * sizeof(Stored),
                sizeof(Stored));
    numbers[i] = convert(element);
  }
  return numbers;
}

template <typename Stored, typename Wide, typename Convert>
static void store(const std::vector<Wide> &numbers, HostTensor &tensor,
                  Convert convert) {
  for (size_t i = 0; i < numbers.size(); ++i) {
    Stored element = convert(numbers[i]);
    std::memcpy(tensor.bytes.data() + i * sizeof(Stored), &element,
                sizeof(Stored));
  }
}

template <typename Stored, typename Wide>
static std::vector<Wide> loadAs(const HostTensor &tensor) {
  return load<Stored, Wide>(tensor, [](Stored x) { return Wide(x); });
}

std::vector<double> smp::reference::widenFloats(const HostTensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::F64:
    return loadAs<double, double>(tensor);
  case DType::BF16:
    return load<uint16_t, double>(
        tensor, [](uint16_t x) { return fromFloat16(x, kBF16); });
  case DType::F16:
    return load<uint16_t, double>(
        tensor, [](uint16_t x) { return fromFloat16(x, kF16); });
  default:
    return loadAs<float, double>(tensor);
  }
}

Numbers smp::reference::widen(const HostTensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::I64:
    return loadAs<int64_t, int64_t>(tensor);
  case DType::I32:
    return loadAs<int32_t, int64_t>(tensor);
  case DType::I16:
    return loadAs<int16_t, int64_t>(tensor);
  case DType::I8:
    return loadAs<int8_t, int64_t>(tensor);
  case DType::U64:
    return loadAs<uint64_t, uint64_t>(tensor);
  case DType::U32:
    return loadAs<uint32_t, uint64_t>(tensor);
  case DType::U16:
    return loadAs<uint16_t, uint64_t>(tensor);
  case DType::U8:
    return loadAs<uint8_t, uint64_t>(tensor);
  case DType::Bool:
    return load<uint8_t, uint64_t>(tensor,
                                   [](uint8_t x) { return uint64_t(x != 0); });
  default:
    return widenFloats(tensor);
  }
}

void smp::reference::narrow(const std::vector<double> &numbers,
                            HostTensor &tensor) {
  switch (tensor.type.dtype) {
  case DType::F64:
    return store<double>(numbers, tensor, [](double x) { return x; });
  case DType::BF16:
    return store<uint16_t>(numbers, tensor,
                           [](double x) { return toFloat16(x, kBF16); });
  case DType::F16:
    return store<uint16_t>(numbers, tensor,
                           [](double x) { return toFloat16(x, kF16); });
  default:
    return store<float>(numbers, tensor, [](double x) { return float(x); });
  }
}

void smp::reference::narrow(const std::vector<uint64_t> &numbers,
                            HostTensor &tensor) {
  if (tensor.type.dtype == DType::Bool)
    return store<uint8_t>(numbers, tensor,
                          [](uint64_t x) { return uint8_t(x & 1); });
  switch (sizeOf(tensor.type.dtype)) {
  case 8:
    return store<uint64_t>(numbers, tensor, [](uint64_t x) { return x; });
  case 4:
    return store<uint32_t>(numbers, tensor,
                           [](uint64_t x) { return uint32_t(x); });
  case 2:
    return store<uint16_t>(numbers, tensor,
                           [](uint64_t x) { return uint16_t(x); });
  default:
    return store<uint8_t>(numbers, tensor,
                          [](uint64_t x) { return uint8_t(x); });
  }
}

void smp::reference::narrow(const std::vector<int64_t> &numbers,
                            HostTensor &tensor) {
  narrow(std::vector<uint64_t>(numbers.begin(), numbers.end()), tensor);
}

/// The least magnitude that rounds to an infinity.
static double leastInfinite(DType type) {
  switch (type) {
  case DType::F16:
    return 65520;
  case DType::BF16:
    return 0x1.ffp127;
  case DType::F32:
    return 0x1.ffffffp127;
  default:
    return std::numeric_limits<double>::infinity();
  }
}

double smp::reference::limitTo(DType type, long double sum) {
  const auto x = double(sum);
  const double infinity = std::numeric_limits<double>::infinity();
  return x >= leastInfinite(type)    ? infinity
         : x <= -leastInfinite(type) ? -infinity
                                     : x;
}

/// The least and the greatest of an element type, as wide integers.
static std::pair<int64_t, uint64_t> bounds(DType type) {
  if (type == DType::Bool)
    return {0, 1};
  int bits = int(sizeOf(type)) * 8;
  if (isUnsigned(type))
    return {0, ~uint64_t(0) >> (64 - bits)};
  return {-(int64_t(1) << (bits - 2)) * 2, ~uint64_t(0) >> (65 - bits)};
}

template <typename T>
T smp::reference::neutral(Kind kind, DType type) {
  if (kind == Kind::Sum)
    return T(0);
  if (kind == Kind::Prod)
    return T(1);
  if constexpr (std::is_floating_point_v<T>) {
    T infinity = std::numeric_limits<T>::infinity();
    return kind == Kind::Max ? -infinity : infinity;
  } else {
    auto [least, greatest] = bounds(type);
    return kind == Kind::Max ? T(least) : T(greatest);
  }
}

template double smp::reference::neutral(Kind, DType);
template int64_t smp::reference::neutral(Kind, DType);
template uint64_t smp::reference::neutral(Kind, DType);
