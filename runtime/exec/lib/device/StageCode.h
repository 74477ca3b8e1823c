// SPDX-License-Identifier: Apache-2.0
// A stage made ready for its device: what is launched, with which memory.

#ifndef SMP_EXEC_STAGECODE_H
#define SMP_EXEC_STAGECODE_H

#include "smp/device/Device.h"

namespace smp {

/// Memory of a stage's tensors for one run, in the order of Stage.
struct StageBinding {
  std::span<const BufferView> inputs;
  std::span<const BufferView> outputs;
};

class StageCode {
public:
  struct Launch {
    DeviceKernel *kernel; // Borrowed from the partition.
    uint32_t firstView, numViews;
    LaunchInfo info;
  };
  /// A view whose place differs from run to run.
  struct Patch {
    uint32_t view;
    bool isOutput;
    uint32_t index;
  };

  /// Puts one run into the stream. `times` gets the time before the first
  /// launch and after each one; null: nobody wants to know.
  void run(Stream &stream, const StageBinding &binding, uint64_t *times);

  /// The same in parts: memory first, then one launch after the other.
  void bind(const StageBinding &binding);
  void launch(Stream &stream, size_t number);
  /// What the launch works on, as bound.
  std::span<const BufferView> viewsOf(size_t number) const;

  std::vector<Launch> launches;
  std::vector<BufferView> views;
  std::vector<Patch> patches;
};

} // namespace smp

#endif // SMP_EXEC_STAGECODE_H
