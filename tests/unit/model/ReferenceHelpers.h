// SPDX-License-Identifier: Apache-2.0
// Tensors and op calls for the tests of the reference evaluator.

#ifndef SMP_TESTS_MODEL_REFERENCEHELPERS_H
#define SMP_TESTS_MODEL_REFERENCEHELPERS_H

#include "smp/model/DTypeOf.h"
#include "smp/model/Reference.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace smp::test {

inline constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
inline constexpr float kInf = std::numeric_limits<float>::infinity();
using List = std::vector<int64_t>;
using Attributes = std::map<std::string, Attribute>;

template <typename T>
HostTensor tensor(Shape shape, const std::vector<T> &values) {
  HostTensor result = HostTensor::zeros({dtypeOf<T>(), std::move(shape)});
  EXPECT_EQ(size_t(result.type.elements()), values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    T value = values[i];
    std::memcpy(result.bytes.data() + i * sizeof(T), &value, sizeof(T));
  }
  return result;
}

template <typename T>
std::vector<T> valuesOf(const HostTensor &tensor) {
  EXPECT_EQ(tensor.type.dtype, dtypeOf<T>());
  std::vector<T> values;
  for (T value : tensor.as<T>())
    values.push_back(value);
  return values;
}

/// Uniform in [-1, 1), as T.
template <typename T>
HostTensor randomTensor(std::mt19937 &rng, Shape shape, double scale = 1) {
  std::uniform_real_distribution<double> draw(-scale, scale);
  std::vector<T> values(size_t(numElements(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = T(draw(rng));
  return tensor<T>(std::move(shape), values);
}

inline Evaluation call(std::string mnemonic,
                       const std::vector<HostTensor> &operands,
                       std::vector<TensorType> types,
                       Attributes attributes = {}) {
  GraphOp op;
  op.name = "node";
  op.mnemonic = std::move(mnemonic);
  op.attributes = std::move(attributes);
  std::vector<const HostTensor *> pointers;
  for (const HostTensor &operand : operands)
    pointers.push_back(&operand);
  return evaluateOp(op, pointers, types);
}

/// The only result of an op that must work.
inline HostTensor eval(std::string mnemonic,
                       const std::vector<HostTensor> &operands, TensorType type,
                       Attributes attributes = {}) {
  Evaluation evaluation =
      call(std::move(mnemonic), operands, {type}, std::move(attributes));
  EXPECT_TRUE(evaluation.ok()) << evaluation.error;
  return evaluation.ok() ? evaluation.results[0] : HostTensor::zeros(type);
}

/// As eval, with a result of operand 0's type.
inline HostTensor evalSame(std::string mnemonic,
                           const std::vector<HostTensor> &operands,
                           Attributes attributes = {}) {
  return eval(std::move(mnemonic), operands, operands[0].type,
              std::move(attributes));
}

/// The elements of evalSame on vectors.
template <typename T>
std::vector<T> evalVectors(std::string mnemonic,
                           const std::vector<std::vector<T>> &operands,
                           Attributes attributes = {}) {
  std::vector<HostTensor> tensors;
  for (const std::vector<T> &operand : operands)
    tensors.push_back(tensor<T>({int64_t(operand.size())}, operand));
  return valuesOf<T>(
      evalSame(std::move(mnemonic), tensors, std::move(attributes)));
}

/// Equal, where NaN equals NaN and -0 does not equal +0.
template <typename T>
void expectBits(const std::vector<T> &actual, const std::vector<T> &expected) {
  ASSERT_EQ(actual.size(), expected.size());
  for (size_t i = 0; i < actual.size(); ++i) {
    T a = actual[i], e = expected[i];
    if constexpr (std::is_floating_point_v<T>) {
      EXPECT_TRUE((a != a && e != e) ||
                  (a == e && std::signbit(a) == std::signbit(e)))
          << "element " << i << ": " << a << ", not " << e;
    } else {
      EXPECT_EQ(a, e) << "element " << i;
    }
  }
}

/// Every element within `bound` times the larger of 1 and its magnitude.
template <typename T>
void expectNear(const HostTensor &actual, const std::vector<double> &expected,
                double bound) {
  const std::vector<T> values = valuesOf<T>(actual);
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_NEAR(double(values[i]), expected[i],
                bound * std::max(1.0, std::fabs(expected[i])))
        << "element " << i;
}

/// A generator whose seed is printed when the test fails.
struct Random {
  explicit Random(unsigned seed)
      : rng(seed), trace(__FILE__, __LINE__, "seed " + std::to_string(seed)) {}
  std::mt19937 rng;
  testing::ScopedTrace trace;
};

} // namespace smp::test

#endif // SMP_TESTS_MODEL_REFERENCEHELPERS_H
