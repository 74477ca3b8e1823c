// SPDX-License-Identifier: Apache-2.0
// What is asked of trials, and what they answer.

#ifndef SMP_TRIAL_TRIALTYPES_H
#define SMP_TRIAL_TRIALTYPES_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Shape.h"
#include "smp/model/TensorReduction.h"
#include <cstdint>
#include <string_view>

namespace smp {

struct TrialOptions {
  /// Steps before and from there on, of all modes, are as if they were not.
  uint64_t beginStep = 0, endStep = UINT64_MAX;
};

/// A step of a mode; of GLOBAL, one of all.
struct ModeStep {
  Mode mode = Mode::Global;
  uint64_t step = 0;
  bool operator==(const ModeStep &) const = default;
};

enum class StepSet { Complete, All };

enum class StepState {
  Available,
  Unavailable,     ///< The run has passed it and did not save it.
  NotYetAvailable, ///< It may still come.
};

/// A tensor of one step, from one worker; empty: the first that saved it.
struct TensorPlace {
  uint64_t step = 0;
  Mode mode = Mode::Global;
  std::string_view worker = {};
};

/// Which tensors; what is not set leaves none out.
struct TensorQuery {
  std::optional<uint64_t> step = {};
  Mode mode = Mode::Global;
  std::string regex = {};      ///< Found anywhere in the name.
  std::string collection = {}; ///< Its list and its regexes.
};

/// min, max, mean, std, variance, sum, prod, l1 or l2, of the elements or of
/// their absolute values.
struct SMP_API StoredReduction {
  std::string operation;
  bool isAbsolute = false;

  bool operator==(const StoredReduction &) const = default;
  /// "abs_mean".
  std::string text() const { return (isAbsolute ? "abs_" : "") + operation; }
  /// What text() gave; l1_norm and l2_norm are l1 and l2.
  static StoredReduction parse(std::string_view text);
  static StoredReduction of(const TensorReduction &reduction);
};

/// What was saved of a tensor: elements or texts.
struct SavedTensor {
  TensorType type;
  std::vector<std::byte> bytes; ///< Row-major, little endian.
  std::vector<std::string> texts;
  double wallTime = 0; ///< Seconds since 1970.
};

struct SeriesPoint {
  uint64_t step = 0;       ///< Of the mode that was asked for.
  uint64_t globalStep = 0; ///< Of all.
  double value = 0;
};

} // namespace smp

#endif // SMP_TRIAL_TRIALTYPES_H
