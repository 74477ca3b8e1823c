// SPDX-License-Identifier: Apache-2.0
// ONNX's light models, which have architectures but no weights, with weights
// that a rule gives: anyone can make the same ones.
//
// Element i of the weight of a name, in f32:
//   z = FNV-1a 64 of the name + (i + 1) * 0x9E3779B97F4A7C15, mixed as in
//   SplitMix64; u = its upper 24 bits as a number in [-1, 1).
//   Conv and Gemm: u * sqrt(6 / products per output); their biases and the
//   operands of Add: 0.1 u; operands of Mul: 1 + 0.1 u; BatchNormalization:
//   scale 0.7 + 0.07 u, bias and mean 0.1 u, variance 1 + 0.1 u.
//   The model's input: u of its name.

#ifndef SMP_E2E_LIGHT_SEEDEDMODEL_H
#define SMP_E2E_LIGHT_SEEDEDMODEL_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace smp::test {

struct SeededModel {
  std::string bytes; ///< ONNX; the final Softmax is taken off.
  std::string input; ///< Its name,
  std::vector<int64_t> shape;
  std::vector<float> values; ///< and its value.
};

/// Reads the light model in file `path` and gives it weights. Nothing when it
/// is no such model.
std::optional<SeededModel> readSeededModel(const std::string &path);

} // namespace smp::test

#endif // SMP_E2E_LIGHT_SEEDEDMODEL_H
