// SPDX-License-Identifier: Apache-2.0
// What is said about a kernel that gave a value which is not finite.

#ifndef SMP_EXEC_NUMERICSREPORT_H
#define SMP_EXEC_NUMERICSREPORT_H

#include "FloatScan.h"
#include "smp/base/Status.h"
#include "smp/serialization/Program.h"

namespace smp {

/// One run of a stage.
struct StagePlace {
  const Program &program;
  const Entry &entry;
  uint32_t position; ///< In Entry::stages.
  uint32_t microbatch = 0;

  const Stage &stage() const { return program.stages[entry.stages[position]]; }
};

/// A value that is not finite in buffer `buffer` of a launch.
struct BadBuffer {
  uint32_t buffer = 0;
  BadFloat bad;
};

/// Whether the two share bytes; both are of one stage.
bool overlap(const BufferRef &a, const BufferRef &b);

/// The error a step ends with. `launch` is of the place's stage, `carried` are
/// what it read that was not finite before.
Status numericsError(const StagePlace &place, uint32_t launch,
                     const BadBuffer &made,
                     const std::vector<BadBuffer> &carried);

} // namespace smp

#endif // SMP_EXEC_NUMERICSREPORT_H
