// SPDX-License-Identifier: Apache-2.0
// What rules see of a run: the same of one that goes on as of a folder that a
// hook wrote. Since 0.1.

#ifndef SMP_RULES_RULESOURCE_H
#define SMP_RULES_RULESOURCE_H

#include "smp/base/Status.h"
#include "smp/model/Mode.h"
#include "smp/model/Shape.h"
#include "smp/model/TensorReduction.h"
#include <algorithm>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace smp {

struct RuleStep {
  Mode mode = Mode::Global;
  uint64_t modeStep = 0;   ///< How many steps of this mode came before.
  uint64_t globalStep = 0; ///< How many steps of any mode came before.
  bool operator==(const RuleStep &) const = default;
  /// "step 7 of TRAIN", and "(9 of all)" where that is another number.
  SMP_API std::string text() const;
};

/// A tensor of a step, by its name.
struct RuleTensor {
  std::string name;
  std::vector<std::string> collections; ///< That it is in.

  bool isIn(std::string_view collection) const {
    return std::ranges::find(collections, collection) != collections.end();
  }
  bool isInAny(std::initializer_list<std::string_view> names) const {
    return std::ranges::any_of(names, [&](auto each) { return isIn(each); });
  }
};

/// Elements, row-major; of several microbatches one after the other, along a
/// dimension in front. Borrowed until the source is asked again.
struct RuleValue {
  TensorType type;
  std::span<const std::byte> bytes;
};

/// NaNs and infinities in a tensor.
struct NumericFaults {
  uint64_t nans = 0, infs = 0;
  /// How many there are and where: "3 of 64 elements are NaN in microbatch 1 of
  /// 4, in stage 'train.2' on partition 1".
  std::string text;
};

/// How long nothing came, in seconds.
struct RuleWaits {
  double before = 0; ///< Between the step that came before, and this one.
  double after = 0;  ///< Since this one, where it is the last one yet.
};

/// The tensors of a step, and those of steps before it. `back` counts steps of
/// the same mode that have the tensor: 0 is this one, 1 that before it. Of one
/// thread; it is valid for a call of Rule::evaluate().
class SMP_API RuleSource {
public:
  virtual ~RuleSource() = default;

  virtual const RuleStep &step() const = 0;
  /// This step and those before it that have the tensor, newest first, as many
  /// as rules need.
  virtual std::vector<RuleStep> stepsOf(std::string_view tensor) const = 0;
  /// As it was saved, or else of the elements; none where neither is there.
  virtual StatusOr<std::optional<double>>
  number(std::string_view tensor, const TensorReduction &reduction,
         size_t back = 0) = 0;
  /// None where only numbers of it are there, or it is text.
  virtual StatusOr<std::optional<RuleValue>> value(std::string_view tensor,
                                                   size_t back = 0) = 0;
  /// None where all elements are finite.
  virtual StatusOr<std::optional<NumericFaults>>
  faults(std::string_view tensor) = 0;
  virtual StatusOr<RuleWaits> waits() = 0;
};

} // namespace smp

#endif // SMP_RULES_RULESOURCE_H
