// SPDX-License-Identifier: Apache-2.0
// Elementwise ops of several operands.

#include "Numbers.h"
#include "Table.h"
#include <algorithm>
#include <cmath>

using namespace smp;
using namespace smp::reference;

/// Whether both operands are of one type, as the two of most ops must be.
static bool requireSameTypes(Call &call, size_t a, size_t b) {
  return call.require(call.type(a) == call.type(b),
                      "operands must have one type, not " +
                          toString(call.type(a)) + " and " +
                          toString(call.type(b)));
}

/// function(x, y, bits) over numbers of any type.
template <auto function>
static void numberOp(Call &call) {
  requireSameTypes(call, 0, 1);
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  const int bits = int(sizeOf(call.dtype(0))) * 8;
  Numbers lhs = widen(call.operand(0)), rhs = widen(call.operand(1));
  std::visit(
      [&](auto &x) {
        auto &y = std::get<std::decay_t<decltype(x)>>(rhs);
        for (size_t i = 0; i < x.size(); ++i)
          x[i] = function(x[i], y[i], bits);
        narrow(x, *result);
      },
      lhs);
}

/// function(x, y, bits) over integers, and i1 when `withBool`.
template <auto function, bool withBool>
static void integerOp(Call &call) {
  DType type = call.dtype(0);
  if (call.require(!isFloat(type) && (withBool || type != DType::Bool),
                   "operands must be integers"))
    numberOp<[](auto x, auto y, int bits) {
      if constexpr (std::is_floating_point_v<decltype(x)>)
        return x;
      else
        return decltype(x)(function(x, y, bits));
    }>(call);
}

template <Kind kind>
static void combineOp(Call &call) {
  if (call.require(call.dtype(0) != DType::Bool, "operands must be numbers"))
    numberOp<[](auto x, auto y, int) { return combine(kind, x, y); }>(call);
}

static constexpr auto difference = [](auto x, auto y, int) {
  if constexpr (std::is_floating_point_v<decltype(x)>)
    return x - y;
  else
    return decltype(x)(uint64_t(x) - uint64_t(y));
};

static constexpr auto quotient = [](auto x, auto y, int) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>) {
    return x / y;
  } else {
    if (y == 0)
      return T(0);
    return y == T(-1) && std::is_signed_v<T> ? T(0 - uint64_t(x)) : T(x / y);
  }
};

static constexpr auto remainderOf = [](auto x, auto y, int) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>)
    return std::fmod(x, y);
  else
    return y == 0 || (y == T(-1) && std::is_signed_v<T>) ? T(0) : T(x % y);
};

/// x^y modulo 2^64.
static uint64_t wrappingPower(uint64_t x, uint64_t y) {
  uint64_t power = 1;
  for (; y; y >>= 1, x *= x)
    if (y & 1)
      power *= x;
  return power;
}

static constexpr auto power = [](auto x, auto y, int) {
  using T = decltype(x);
  if constexpr (std::is_floating_point_v<T>) {
    return std::pow(x, y);
  } else {
    if (std::is_signed_v<T> && y < T(0)) {
      if (x == T(1))
        return T(1);
      return x == T(-1) ? T(y & 1 ? -1 : 1) : T(0);
    }
    return T(wrappingPower(uint64_t(x), uint64_t(y)));
  }
};

/// f64 powers are computed in long double.
static void pow(Call &call) {
  if (call.dtype(0) != DType::F64)
    return numberOp<power>(call);
  numberOp<[](auto x, auto y, int bits) {
    using T = decltype(x);
    if constexpr (std::is_floating_point_v<T>)
      return T(
          std::pow(static_cast<long double>(x), static_cast<long double>(y)));
    else
      return x;
  }>(call);
}

static constexpr auto shiftLeft = [](auto x, auto y, int bits) {
  using T = decltype(x);
  return uint64_t(y) < uint64_t(bits) ? T(uint64_t(x) << uint64_t(y)) : T(0);
};

static constexpr auto shiftRight = [](auto x, auto y, int bits) {
  using T = decltype(x);
  if (uint64_t(y) < uint64_t(bits))
    return T(x >> uint64_t(y));
  return x < T(0) ? T(-1) : T(0);
};

static void compare(Call &call) {
  requireSameTypes(call, 0, 1);
  size_t direction =
      call.word("direction", {"eq", "ne", "lt", "le", "gt", "ge"});
  HostTensor *result = call.makeResult({DType::Bool, call.shape(0)});
  if (!result)
    return;
  Numbers lhs = widen(call.operand(0)), rhs = widen(call.operand(1));
  std::vector<uint64_t> answers(size_t(call.type(0).elements()));
  std::visit(
      [&](auto &x) {
        auto &y = std::get<std::decay_t<decltype(x)>>(rhs);
        for (size_t i = 0; i < x.size(); ++i) {
          bool table[] = {x[i] == y[i], x[i] != y[i],
                          x[i]<y[i], x[i] <= y[i], x[i]> y[i], x[i] >= y[i]};
          answers[i] = table[direction];
        }
      },
      lhs);
  narrow(answers, *result);
}

static void select(Call &call) {
  requireSameTypes(call, 1, 2);
  call.require(call.type(0) == TensorType{DType::Bool, call.shape(1)},
               "the condition must be bool of the others' shape");
  HostTensor *result = call.makeResult(call.type(1));
  if (!result)
    return;
  const size_t size = sizeOf(call.dtype(1));
  const std::vector<std::byte> &condition = call.operand(0).bytes;
  for (size_t i = 0; i < condition.size(); ++i) {
    const HostTensor &chosen =
        call.operand(condition[i] != std::byte(0) ? 1 : 2);
    std::copy_n(chosen.bytes.begin() + int64_t(i * size), size,
                result->bytes.begin() + int64_t(i * size));
  }
}

static void fma(Call &call) {
  requireSameTypes(call, 0, 1);
  requireSameTypes(call, 0, 2);
  call.require(isFloat(call.dtype(0)), "operands must be floats");
  HostTensor *result = call.makeResult(call.type(0));
  if (!result)
    return;
  auto x = std::get<std::vector<double>>(widen(call.operand(0)));
  auto y = std::get<std::vector<double>>(widen(call.operand(1)));
  auto z = std::get<std::vector<double>>(widen(call.operand(2)));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = std::fma(x[i], y[i], z[i]);
  narrow(x, *result);
}

template <auto function>
static constexpr auto arithmeticOp = [](Call &call) {
  if (call.require(call.dtype(0) != DType::Bool, "operands must be numbers"))
    numberOp<function>(call);
};

std::span<const Entry> smp::reference::binaryOps() {
  static constexpr Entry entries[] = {
      {"add", 2, combineOp<Kind::Sum>},
      {"sub", 2, arithmeticOp<difference>},
      {"mul", 2, combineOp<Kind::Prod>},
      {"div", 2, arithmeticOp<quotient>},
      {"rem", 2, arithmeticOp<remainderOf>},
      {"pow", 2, pow},
      {"max", 2, combineOp<Kind::Max>},
      {"min", 2, combineOp<Kind::Min>},
      {"and", 2, integerOp<[](auto x, auto y, int) { return x & y; }, true>},
      {"or", 2, integerOp<[](auto x, auto y, int) { return x | y; }, true>},
      {"xor", 2, integerOp<[](auto x, auto y, int) { return x ^ y; }, true>},
      {"shift_left", 2, integerOp<shiftLeft, false>},
      {"shift_right", 2, integerOp<shiftRight, false>},
      {"compare", 2, compare},
      {"select", 3, select},
      {"fma", 3, fma},
  };
  return entries;
}
