// SPDX-License-Identifier: Apache-2.0
// The file from which SageMaker reads metrics while a job runs.

#ifndef SMP_CAPTURE_METRICSFILE_H
#define SMP_CAPTURE_METRICSFILE_H

#include "smp/serialization/EventTemplate.h"
#include <string>

namespace smp {

/// Lines are appended for the process; where the environment variable
/// SAGEMAKER_METRICS_DIRECTORY is not set, none.
class MetricsFile {
public:
  MetricsFile();

  /// A value of the step: a line of the next write().
  void add(std::string_view name, double value, const EventStep &step);
  /// Appends all lines at once.
  Status write();

private:
  std::string path; ///< Empty: there is none.
  std::string lines;
};

} // namespace smp

#endif // SMP_CAPTURE_METRICSFILE_H
