// SPDX-License-Identifier: Apache-2.0
// Values of a step that a program was compiled to show. Since 0.1.

#ifndef SMP_MODEL_TAP_H
#define SMP_MODEL_TAP_H

#include "smp/model/Shape.h"
#include <string>

namespace smp {

/// How much of a value is watched. Numbers are stored in files.
enum class TapKind : uint8_t {
  Statistics = 1, ///< A record of TensorStatistics.h.
  Whole = 2,
};

/// What a watched value is to its entry. Numbers are stored in files.
enum class TapRole : uint8_t {
  Value = 0, ///< None of the others.
  Input = 1,
  Parameter = 2, ///< Or a state: as the step reads it.
  Gradient = 3,  ///< The mean over the microbatches, as the update takes it.
  Slot = 4,      ///< A variable of the optimizer, as the step leaves it.
  /// Of the microbatch's loss with respect to a value.
  OutputGradient = 5,
};

/// An output of a twin that shows a value.
struct Tap {
  std::string name; ///< Of the value.
  TapKind kind = TapKind::Statistics;
  TapRole role = TapRole::Value;
  TensorType type; ///< Of the value, in one microbatch.
};

/// "statistics/" or "value/": what an output that shows a value is called
/// begins so, and ends with the value's name.
inline const char *outputPrefix(TapKind kind) {
  return kind == TapKind::Whole ? "value/" : "statistics/";
}

} // namespace smp

#endif // SMP_MODEL_TAP_H
