// SPDX-License-Identifier: Apache-2.0
// What kernels take, from what Sessions say of their steps.

#ifndef SMP_TOOLS_LIB_COSTPROFILE_H
#define SMP_TOOLS_LIB_COSTPROFILE_H

#include "smp/model/Costs.h"
#include "smp/runtime/Session.h"
#include "smp/serialization/Program.h"
#include <map>

namespace smp {

/// Collects the spans of steps of one program, of any number of Sessions.
///
/// A group takes, in a step, the mean of its runs on a partition: the first of
/// them finds other things in the caches than the others do. Of all steps the
/// median counts, since another process may have been in the way of some.
class CostProfile {
public:
  /// Borrows the program. Fails where it does not say what its kernels are.
  static StatusOr<CostProfile> of(const Program &program);

  /// A step of a Session with these devices. One call at a time.
  void add(std::span<const ProfileSpan> spans,
           std::span<const DeviceMemory> devices);
  /// What was measured. Of links nothing is known.
  Costs costs() const;

private:
  using DeviceKey = std::pair<std::string, uint32_t>; ///< Kind and cores.
  struct Samples {
    std::vector<double> seconds; ///< Of each step and partition, the mean.
    uint64_t runs = 0;
  };
  struct DeviceSamples {
    std::map<uint64_t, Samples> kernels; ///< By signature.
    Samples stages;                      ///< Between stages.
  };

  explicit CostProfile(const Program &program);
  void addKernels(std::span<const ProfileSpan> spans, uint32_t partition,
                  DeviceSamples &device) const;
  void addStages(std::span<const ProfileSpan> spans, uint32_t partition,
                 DeviceSamples &device) const;
  DeviceCosts costsOf(const DeviceKey &key, const DeviceSamples &device) const;

  const Program *program;
  std::map<uint64_t, const Kernel *> kernelOf; ///< By signature.
  std::map<DeviceKey, DeviceSamples> devices;
};

} // namespace smp

#endif // SMP_TOOLS_LIB_COSTPROFILE_H
