// SPDX-License-Identifier: Apache-2.0
// Traces in the format of Chrome and Perfetto.

#ifndef SMP_TOOLS_SMPRUN_TRACEFILE_H
#define SMP_TOOLS_SMPRUN_TRACEFILE_H

#include "smp/runtime/Session.h"

namespace smp {

/// Collects the spans of steps: one row per partition, stages with their
/// kernels inside.
class TraceFile {
public:
  /// Ready to be a Session's profile sink. The first steps are kept, up to a
  /// million spans.
  void add(std::span<const ProfileSpan> spans);
  Status write(const std::string &path,
               std::span<const DeviceMemory> devices) const;

private:
  struct Kept {
    ProfileSpan span;
    std::string name;
  };
  std::vector<Kept> kept;
};

} // namespace smp

#endif // SMP_TOOLS_SMPRUN_TRACEFILE_H
