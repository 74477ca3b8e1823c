// SPDX-License-Identifier: Apache-2.0
// Random inputs for kernels, and how close their results must be.

#ifndef SMP_TESTS_RECORDED_KERNELTENSORS_H
#define SMP_TESTS_RECORDED_KERNELTENSORS_H

#include "smp/model/Graph.h"
#include <random>

namespace smp::test {

/// What random elements a tensor gets.
enum class Fill {
  Unit,     ///< Floats in [-1, 1); integers of all bits.
  Positive, ///< Floats in [0.5, 2); integers in 1..7.
  Special,  ///< Floats of many sizes, with NaN, infinities, zeros, subnormals;
            ///< integers near their bounds.
  Zeros,    ///< Zeros of both signs.
  Huge,     ///< Floats in [0.5, 1) times the greatest; integers of all bits.
  Few,      ///< One of five values, so that ties abound.
  Index,    ///< Integers in 0..bound-1.
  Ties,     ///< In the middle of two numbers of a narrower float, and next to
            ///< it: rounding twice shows.
};

struct Operand {
  TensorType type;
  Fill fill = Fill::Unit;
  int64_t bound = 0;
};

HostTensor randomTensor(const Operand &operand, std::mt19937 &random);

/// A tensor that a seed and a few words say.
struct DrawnTensor {
  Operand operand;
  uint32_t seed = 0;
};
HostTensor draw(const DrawnTensor &tensor);

/// The error that a result may have: units of 2^-mantissa of the expected
/// value, and an absolute amount. 0, 0: the same bits, but for the payload of
/// NaNs.
struct Bound {
  double units = 0;
  double absolute = 0;
};

/// Why `actual` is not `expected`, naming the worst element; empty when it is
/// within the bound. Integers and bools must be equal.
std::string difference(const HostTensor &expected, const HostTensor &actual,
                       Bound bound);

/// A few characters, the same for tensors of the same type and bits but for the
/// payload of NaNs.
std::string digestOf(const HostTensor &tensor);

} // namespace smp::test

#endif // SMP_TESTS_RECORDED_KERNELTENSORS_H
