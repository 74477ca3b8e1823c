// SPDX-License-Identifier: Apache-2.0
// An op in a small graph, for the test of its gradient.

#ifndef SMP_TESTS_PASSES_GRADIENTSAMPLES_H
#define SMP_TESTS_PASSES_GRADIENTSAMPLES_H

#include <string>
#include <vector>

namespace smp::test {

/// Arguments and the ops that make `%r` of type `result` from them. Floats are
/// f64, drawn from [low, high); integers from 0 on, below `limit`.
struct GradientSample {
  std::string op; ///< Its mnemonic; the ops contain it.
  std::string arguments;
  std::string ops;
  std::string result;
  double low = -2, high = 2;
  int limit = 3;
  bool twice = true; ///< The gradient has a gradient too.
};

/// Several per op where attributes change the rule.
const std::vector<GradientSample> &gradientSamples();

} // namespace smp::test

#endif // SMP_TESTS_PASSES_GRADIENTSAMPLES_H
