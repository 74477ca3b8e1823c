// SPDX-License-Identifier: Apache-2.0
// What smp-trial prints.

#ifndef SMP_TOOLS_SMP_TRIAL_REPORT_H
#define SMP_TOOLS_SMP_TRIAL_REPORT_H

#include "CheckTrial.h"
#include "DiffTrials.h"

namespace smp {

/// Each as text, or as JSON for other programs; with an end of line.
StatusOr<std::string> reportTrial(const Trial &trial, const TensorQuery &query,
                                  bool isJson);
/// A line a point: the step and the number. JSON: an object a line.
std::string reportPoints(std::span<const SeriesPoint> points, bool isJson);
std::string reportComparison(const TrialComparison &comparison, bool isJson);
std::string reportCheck(const TrialCheck &check, bool isJson);

} // namespace smp

#endif // SMP_TOOLS_SMP_TRIAL_REPORT_H
