// SPDX-License-Identifier: Apache-2.0
// Better schedules than those that have a name.

#ifndef SMP_CODEGEN_EXPORT_SEARCHSCHEDULES_H
#define SMP_CODEGEN_EXPORT_SEARCHSCHEDULES_H

#include "smp/codegen/export/Export.h"

namespace smp::codegen {

/// Searches the schedule of each entry that has one, in so many rounds as the
/// options say, such that partitions need at most the limit; what they need
/// beside tensors between stages must be known.
void searchSchedules(Program &program, const ExportOptions &options);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_SEARCHSCHEDULES_H
