// SPDX-License-Identifier: Apache-2.0
// Elements as the numbers that the reference computes with.

#ifndef SMP_LIB_REFERENCE_NUMBERS_H
#define SMP_LIB_REFERENCE_NUMBERS_H

#include "smp/model/Graph.h"
#include <type_traits>
#include <variant>

namespace smp::reference {

/// Elements of any type, widened exactly: floats to double, signed integers to
/// int64_t, unsigned ones and bool to uint64_t.
using Numbers = std::variant<std::vector<double>, std::vector<int64_t>,
                             std::vector<uint64_t>>;
Numbers widen(const HostTensor &tensor);

/// The elements of a float tensor.
std::vector<double> widenFloats(const HostTensor &tensor);

/// Stores numbers in a tensor of as many elements. A double is rounded once, to
/// nearest even; integers keep their low bits (a bool the lowest).
void narrow(const std::vector<double> &numbers, HostTensor &tensor);
void narrow(const std::vector<int64_t> &numbers, HostTensor &tensor);
void narrow(const std::vector<uint64_t> &numbers, HostTensor &tensor);

/// `value` rounded to the type that `type` is computed in: f64 for f64, else
/// f32.
inline double roundToCompute(DType type, double value) {
  return type == DType::F64 ? value : double(float(value));
}

/// `sum`, or the infinity that an op of element type `type` rounds it to.
double limitTo(DType type, long double sum);

/// The kind that combines two numbers; `i1` uses Max as or, Min as and.
enum class Kind { Sum, Prod, Max, Min };

/// What combined with x gives x, for elements of type `type`.
template <typename T>
T neutral(Kind kind, DType type);

/// a op b. Integers wrap, a NaN wins, -0 is less than +0.
template <typename T>
T combine(Kind kind, T a, T b);

extern template double neutral(Kind, DType);
extern template int64_t neutral(Kind, DType);
extern template uint64_t neutral(Kind, DType);

template <typename T>
T combine(Kind kind, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    switch (kind) {
    case Kind::Sum:
      return a + b;
    case Kind::Prod:
      return a * b;
    case Kind::Max:
      return a != a   ? a
             : b != b ? b
             : a == b ? (__builtin_signbit(a) ? b : a)
             : a > b  ? a
                      : b;
    case Kind::Min:
      return a != a   ? a
             : b != b ? b
             : a == b ? (__builtin_signbit(a) ? a : b)
             : a < b  ? a
                      : b;
    }
  } else {
    switch (kind) {
    case Kind::Sum:
      return T(uint64_t(a) + uint64_t(b));
    case Kind::Prod:
      return T(uint64_t(a) * uint64_t(b));
    case Kind::Max:
      return a > b ? a : b;
    case Kind::Min:
      return a < b ? a : b;
    }
  }
  __builtin_unreachable();
}

/// Numbers combined one after the other, starting from the neutral one. Sums of
/// floats are taken so wide that no part of one overflows.
template <typename T>
class Combined {
public:
  Combined(Kind kind, DType type)
      : kind(kind), value(neutral<T>(kind, type)), sum(0) {}
  void add(T x) {
    if (isWide())
      sum += x;
    else
      value = combine(kind, value, x);
  }
  T get() const { return isWide() ? T(sum) : value; }

private:
  bool isWide() const {
    return std::is_floating_point_v<T> && kind == Kind::Sum;
  }
  Kind kind;
  T value;
  long double sum;
};

} // namespace smp::reference

#endif // SMP_LIB_REFERENCE_NUMBERS_H
