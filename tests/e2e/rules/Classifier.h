// SPDX-License-Identifier: Apache-2.0
// A small classifier and its data, in which a test plants one fault.

#ifndef SMP_TESTS_E2E_RULES_CLASSIFIER_H
#define SMP_TESTS_E2E_RULES_CLASSIFIER_H

#include "smp/import/GraphBuilder.h"
#include "smp/model/Optimizer.h"
#include <functional>
#include <smp/exec/SessionTypes.h>

namespace smp::test {

inline constexpr int64_t kRows = 16, kMicrobatches = 4, kWidth = 16,
                         kClasses = 8;

/// What is unlike a training in which all is well.
struct Plan {
  Optimizer optimizer = {.learningRate = 3e-3};
  double deviation = 0; ///< Of the weights of `second`; 0: Xavier's.
  double firstBias = 0; ///< What the bias of `first` begins with.
  double lossScale = 1;
  bool hasUnused = false; ///< The parameter `unused` is read for nothing.
  std::function<Tensor(GraphBuilder &, Tensor)> activation =
      {}; ///< Null: ReLU.
};

/// Entries `train` and `eval`: x [kRows, kWidth] by `first` and `second`, 32
/// wide, to the scores of classes and the loss.
StatusOr<Model> buildClassifier(const Plan &plan);

/// Points around the centres of their classes.
class Points {
public:
  Points(uint64_t seed, double scale = 1);

  /// Draws the rows of a step, all of class `only` unless that is -1.
  void draw(int only = -1);
  std::vector<InputTensor> inputs() const;

  std::vector<float> x;
  std::vector<int64_t> classes;

private:
  double random();
  uint64_t state;
  double scale;
  int64_t xDims[2], classDims[1];
};

} // namespace smp::test

#endif // SMP_TESTS_E2E_RULES_CLASSIFIER_H
