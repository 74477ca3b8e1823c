// SPDX-License-Identifier: Apache-2.0
// From the caller's memory to stages and back.

#ifndef SMP_EXEC_FEED_H
#define SMP_EXEC_FEED_H

#include "../step/StepControl.h"
#include "Slicing.h"
#include "Slots.h"
#include "smp/device/Communicator.h"

namespace smp {

/// Gives one input of a stage the microbatches of an entry's input: in place
/// where the device can use host memory and a microbatch is one piece, else by
/// copies.
class InputFeed {
public:
  /// A copy, where one is needed, is at `copy` of the memory.
  InputFeed(Device &device, EntryMemory &memory, uint64_t copy)
      : device(device), memory(memory), imported(device.importHost(nullptr, 0)),
        copy(copy) {}

  /// Before a step: the caller's tensor, which outlives the step.
  void bind(const std::byte *data, const Slicing &slicing);
  /// Before a run; makes view() right for work put into the stream after it.
  void fetch(Stream &stream, uint32_t microbatch);
  BufferView view(uint32_t microbatch) const {
    return inPlace ? BufferView{imported.get(), slicing.start(microbatch)}
                   : memory.view(copy);
  }

private:
  Device &device;
  EntryMemory &memory;
  std::unique_ptr<Buffer> imported; // Null when the device cannot.
  uint64_t copy;
  bool inPlace = false;
  const std::byte *data = nullptr;
  Slicing slicing;
};

/// Takes the microbatches of an entry's output from a stage into memory of this
/// process.
class LocalDrain {
public:
  explicit LocalDrain(Device &device)
      : device(device), imported(device.importHost(nullptr, 0)) {}

  void bind(std::byte *data, const Slicing &slicing);
  /// Whether the stage can write straight to view() in this step.
  bool inPlace() const { return imported && slicing.contiguous(); }
  BufferView view(uint32_t microbatch) const {
    return {imported.get(), slicing.start(microbatch)};
  }
  /// Else, after a run: copies the tensor from where it is.
  void drain(Stream &stream, uint32_t microbatch, BufferView from);

private:
  Device &device;
  std::unique_ptr<Buffer> imported; // Null when the device cannot.
  std::byte *data = nullptr;
  Slicing slicing;
};

/// To other ranks that want the output.
class RankDrain {
public:
  /// `isShown`: only those that gather what is shown are sent it.
  static StatusOr<std::unique_ptr<RankDrain>>
  make(Device &device, Communicator &communicator, std::vector<uint32_t> ranks,
       uint64_t key, uint64_t bytes, bool isShown, StepControl &control);

  /// `gathering`: of a step, by rank.
  void beginStep(uint64_t number, const std::vector<bool> &gathering);
  /// After a run; waits for it. False when the step is over.
  bool drain(Stream &stream, uint32_t microbatch, BufferView from);

private:
  RankDrain(Communicator &communicator, StepControl &control)
      : communicator(communicator), control(control) {}

  Communicator &communicator;
  StepControl &control;
  std::vector<uint32_t> ranks;
  std::vector<uint32_t> receivers; // Of the step.
  bool isShown = false;
  uint64_t key = 0, bytes = 0, epoch = 0;
  std::unique_ptr<Event> copied;
  HostMemory host;
};

} // namespace smp

#endif // SMP_EXEC_FEED_H
