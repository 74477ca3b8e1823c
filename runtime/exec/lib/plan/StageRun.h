// SPDX-License-Identifier: Apache-2.0
// A stage of an entry, with where its tensors come from and go to.

#ifndef SMP_EXEC_STAGERUN_H
#define SMP_EXEC_STAGERUN_H

#include "../numerics/NumericsCheck.h"
#include "../tensors/Feed.h"
#include "../tensors/Link.h"

namespace smp {

class StageRun {
public:
  StageRun(uint32_t position, uint32_t stage, DevicePartition &partition,
           EntryMemory &memory)
      : position(position), stage(stage), partition(partition), memory(memory) {
  }

  /// Puts one run into the partition's stream. May wait for places of what it
  /// makes; false when the step is over.
  bool run(uint32_t microbatch);

  /// Before a step, so that run() need not allocate.
  /// `gathering`: by rank, whether it is shown what other ranks show.
  void beginStep(uint64_t epoch, uint32_t microbatches, bool timeKernels,
                 const std::vector<bool> &gathering);
  /// When the run of the last step started and ended; with `timeKernels` also
  /// the times between kernels.
  std::span<const uint64_t> times(uint32_t microbatch) const {
    return std::span<const uint64_t>(stamps).subspan(microbatch * stampsPerRun,
                                                     stampsPerRun);
  }

  struct Input {
    std::unique_ptr<InputFeed> feed; // From the caller, or else ...
    Link *link = nullptr;            // ... from another stage.
    uint32_t entryInput = 0;         // With `feed`.
  };
  struct Output {
    std::unique_ptr<Slots> slots; // With links.
    std::vector<Link *> links;
    bool crosses = false; // Some link leaves the partition.
    std::vector<std::unique_ptr<LocalDrain>> drains;
    std::vector<uint32_t> entryOutputs; // Of the drains.
    std::vector<std::unique_ptr<RankDrain>> rankDrains;
    uint64_t place = 0; // Offset in the memory, where nothing else is used.

    /// Whether the stage writes straight into the first drain's memory.
    bool inPlace() const {
      return !slots && !drains.empty() && drains[0]->inPlace();
    }
  };

  const uint32_t position, stage;
  DevicePartition &partition;
  std::vector<Input> inputs;
  std::vector<Output> outputs;
  std::unique_ptr<NumericsCheck> numerics; // Null: nobody wants to know.

private:
  BufferView viewOf(const Output &output, uint32_t microbatch) const;
  bool acquirePlaces(uint32_t microbatch);
  bool runCode(uint32_t microbatch);
  bool handOut(uint32_t microbatch);

  EntryMemory &memory; // Of the partition.
  std::vector<BufferView> inputViews, outputViews;
  std::vector<uint64_t> stamps;
  size_t stampsPerRun = 0;
  bool kernelsTimed = false;
};

} // namespace smp

#endif // SMP_EXEC_STAGERUN_H
