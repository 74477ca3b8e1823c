// SPDX-License-Identifier: Apache-2.0
// The elements of values, as numbers.

#ifndef SMP_RULES_ELEMENTS_H
#define SMP_RULES_ELEMENTS_H

#include "smp/rules/RuleSource.h"
#include <functional>

namespace smp {

/// All elements, in order.
std::vector<double> elementsOf(const RuleValue &value);

/// Counts in the elements; none where all are finite. The text does not say
/// where.
std::optional<NumericFaults> faultsOf(const RuleValue &value);
/// "3 of 64 elements are NaN and 1 is infinite".
std::string faultsText(uint64_t nans, uint64_t infs, uint64_t elements);

/// The part of the elements, for each place along dimension `axis`, which is
/// counted from the end as -1, that `isActive` holds for. A value of fewer
/// dimensions has one such place.
std::vector<double> activityOf(const RuleValue &value, int64_t axis,
                               const std::function<bool(double)> &isActive);

/// How many, of those of activityOf(), are below `least`.
size_t countBelow(const std::vector<double> &activity, double least);

} // namespace smp

#endif // SMP_RULES_ELEMENTS_H
