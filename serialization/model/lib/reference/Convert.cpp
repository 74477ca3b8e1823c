// SPDX-License-Identifier: Apache-2.0
// The same number, or the same bits, in another element type.

#include "Numbers.h"
#include "Table.h"
#include <cmath>
#include <limits>

using namespace smp;
using namespace smp::reference;

/// A double that rounds to every narrower float as `x` itself does: exact below
/// 2^53, beyond it the last bits stand for "and something more".
static double toDoubleForRounding(uint64_t magnitude) {
  if (magnitude >> 53 == 0)
    return double(magnitude);
  uint64_t kept = magnitude & ~uint64_t(0xfff);
  return double(magnitude == kept ? kept : kept | 0x1000);
}

static double toDouble(uint64_t x, bool exactly) {
  return exactly ? double(x) : toDoubleForRounding(x);
}

static double toDouble(int64_t x, bool exactly) {
  if (exactly)
    return double(x);
  return x < 0 ? -toDoubleForRounding(0 - uint64_t(x))
               : toDoubleForRounding(uint64_t(x));
}

/// Truncates towards zero and clamps to T's bounds; NaN gives 0.
template <typename T>
static T saturate(double x) {
  if (x != x)
    return 0;
  x = std::trunc(x);
  constexpr T least = std::numeric_limits<T>::min();
  constexpr T greatest = std::numeric_limits<T>::max();
  // double(greatest) may round up to one more than greatest.
  if (x >= double(greatest))
    return greatest;
  return x <= double(least) ? least : T(x);
}

/// A float as an integer of type `type`, in the bits of a uint64_t.
static uint64_t saturateTo(DType type, double x) {
  switch (type) {
  case DType::I64:
    return uint64_t(saturate<int64_t>(x));
  case DType::I32:
    return uint64_t(int64_t(saturate<int32_t>(x)));
  case DType::I16:
    return uint64_t(int64_t(saturate<int16_t>(x)));
  case DType::I8:
    return uint64_t(int64_t(saturate<int8_t>(x)));
  case DType::U64:
    return saturate<uint64_t>(x);
  case DType::U32:
    return saturate<uint32_t>(x);
  case DType::U16:
    return saturate<uint16_t>(x);
  case DType::U8:
    return saturate<uint8_t>(x);
  default:
    return x != 0;
  }
}

template <typename T>
static void convertNumbers(const std::vector<T> &from, HostTensor &result) {
  const DType to = result.type.dtype;
  if (isFloat(to)) {
    std::vector<double> numbers(from.size());
    for (size_t i = 0; i < from.size(); ++i)
      if constexpr (std::is_same_v<T, double>)
        numbers[i] = from[i];
      else
        numbers[i] = toDouble(from[i], /*exactly=*/to == DType::F64);
    return narrow(numbers, result);
  }
  std::vector<uint64_t> numbers(from.size());
  for (size_t i = 0; i < from.size(); ++i)
    if constexpr (std::is_same_v<T, double>)
      numbers[i] = saturateTo(to, from[i]);
    else
      numbers[i] = to == DType::Bool ? from[i] != 0 : uint64_t(from[i]);
  narrow(numbers, result);
}

static void convert(Call &call) {
  HostTensor *result =
      call.makeResult({call.resultTypes[0].dtype, call.shape(0)});
  if (!result)
    return;
  Numbers numbers = widen(call.operand(0));
  std::visit([&](const auto &from) { convertNumbers(from, *result); }, numbers);
}

static void bitCast(Call &call) {
  const DType from = call.dtype(0), to = call.resultTypes[0].dtype;
  call.require(sizeOf(from) == sizeOf(to) && from != DType::Bool &&
                   to != DType::Bool,
               "the types must be numbers of one width");
  if (HostTensor *result = call.makeResult({to, call.shape(0)}))
    result->bytes = call.operand(0).bytes;
}

std::span<const Entry> smp::reference::convertOps() {
  static constexpr Entry entries[] = {{"convert", 1, convert},
                                      {"bit_cast", 1, bitCast}};
  return entries;
}
