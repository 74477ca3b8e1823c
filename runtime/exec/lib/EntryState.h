// SPDX-License-Identifier: Apache-2.0
// The caller's side of an entry: its tensors of the step that runs.

#ifndef SMP_EXEC_ENTRYSTATE_H
#define SMP_EXEC_ENTRYSTATE_H

#include "EntryPlan.h"
#include "smp/exec/SessionTypes.h"

namespace smp {

class EntryState {
public:
  explicit EntryState(std::unique_ptr<EntryPlan> plan);

  EntryPlan &plan() { return *owned; }
  const EntryPlan &plan() const { return *owned; }
  const Entry &entry() const { return owned->entry; }
  uint32_t microbatches() const { return count; }

  /// Checks a step's inputs and outputs against the signature and points the
  /// plan at them. Allocates only when a step is larger than those before.
  Status bind(std::span<const InputTensor> inputs, const StepOptions &options);
  /// Copies what goes from the caller straight back to the caller.
  void passThrough();
  /// Waits for outputs that other ranks make.
  Status receiveOutputs(Communicator &communicator, uint64_t epoch);
  /// Forms sums and means, when all microbatches' values are there.
  void reduceOutputs();
  StepOutput output() const { return StepOutput(tensors); }

private:
  Status bindInputs(std::span<const InputTensor> inputs);
  Status bindInput(const InputTensor &input);
  Status checkMicrobatches(const EntryTensor &tensor, const TensorView &view);
  Status setMicrobatches(uint32_t wanted);
  std::string nameCount() const;
  Status checkJoins() const;
  void numberMicrobatches();
  /// How often the output is made in a step.
  uint32_t timesMade(size_t output) const {
    return perStep[output] ? 1 : count;
  }
  /// Whether the output is the sum or mean of several values.
  bool isReduced(size_t output) const;
  /// How many values the output is given as.
  uint32_t timesGiven(size_t output) const {
    return isReduced(output) ? 1 : timesMade(output);
  }
  void describeOutputs();
  Status placeOutputs(std::span<const OutputBinding> bindings);
  Status placeOutput(uint32_t output, std::span<const OutputBinding> bindings);
  Status checkBindings(std::span<const OutputBinding> bindings) const;
  void pointPlan();
  Status receiveOutput(Communicator &communicator, uint64_t epoch,
                       uint32_t output, uint32_t microbatch);

  std::unique_ptr<EntryPlan> owned;
  std::vector<bool> needed;  // By input: whether this rank uses it.
  std::vector<bool> perStep; // By output: whether an update makes it.

  // Of the step that is being bound.
  uint32_t count = 0; // Microbatches; 0: not known yet.
  const EntryTensor *countedBy = nullptr;
  std::vector<const std::byte *> inputData;
  std::vector<bool> given;
  std::vector<std::byte *> outputData;

  uint32_t described = 0; // The microbatches that the next four are for.
  std::vector<Slicing> inputSlicing, outputSlicing;
  std::vector<Shape> outputShapes;
  std::vector<OutputTensor> tensors; // Of the wanted outputs.
  std::vector<int32_t> tensorOf;     // By output; -1: not wanted.
  std::vector<HostMemory> copies;    // By input: of those not aligned.
  std::vector<HostMemory> results;   // By output: the Session's own.
  std::vector<HostMemory> values;    // By output: of what is reduced.
  HostMemory piece;                  // A microbatch from another rank.
  std::vector<int64_t> numbers;      // Of the microbatches: 0, 1, ...
};

} // namespace smp

#endif // SMP_EXEC_ENTRYSTATE_H
