// SPDX-License-Identifier: Apache-2.0
// Collections that have a meaning of their own.

#ifndef SMP_CAPTURE_BUILTINCOLLECTIONS_H
#define SMP_CAPTURE_BUILTINCOLLECTIONS_H

#include <algorithm>
#include <iterator>
#include <string_view>

namespace smp {

struct BuiltInCollection {
  std::string_view name;
  std::string_view regex = {}; ///< Empty: none.
  /// Whether it is saved by every hook.
  bool isDefault = false;
  /// Whether its tensors are saved whole, whatever the configuration says.
  bool isWhole = false;
  /// Whether its tensors are numbers for TensorBoard.
  bool isScalar = false;
  /// Whether it is skipped in the modes EVAL and PREDICT.
  bool isOfTraining = false;
};

inline constexpr BuiltInCollection kBuiltInCollections[] = {
    {.name = "all"},
    {.name = "default"},
    {.name = "inputs"},
    {.name = "outputs"},
    {.name = "weights", .regex = "^(?!gradient).*weight"},
    {.name = "biases", .regex = "^(?!gradient).*bias"},
    {.name = "gradients", .regex = "^gradient", .isOfTraining = true},
    {.name = "losses",
     .regex = "[Ll]oss_(?!input).*output",
     .isDefault = true,
     .isWhole = true,
     .isScalar = true},
    {.name = "metrics", .isDefault = true, .isWhole = true, .isScalar = true},
    {.name = "sm_metrics",
     .isDefault = true,
     .isWhole = true,
     .isScalar = true},
    {.name = "layers"},
    {.name = "optimizer_variables", .isOfTraining = true},
    {.name = "tensorflow_summaries", .isWhole = true},
    {.name = "hyperparameters"},
    {.name = "predictions"},
    {.name = "labels"},
    {.name = "feature_importance", .isWhole = true, .isScalar = true},
    {.name = "average_shap", .isWhole = true, .isScalar = true},
    {.name = "full_shap"},
    {.name = "trees"},
};

/// Null where there is none of the name.
inline const BuiltInCollection *findBuiltInCollection(std::string_view name) {
  const auto *end = std::end(kBuiltInCollections);
  const auto *found =
      std::find_if(std::begin(kBuiltInCollections), end,
                   [&](const auto &each) { return each.name == name; });
  return found == end ? nullptr : found;
}

} // namespace smp

#endif // SMP_CAPTURE_BUILTINCOLLECTIONS_H
