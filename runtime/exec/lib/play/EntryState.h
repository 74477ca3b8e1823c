// SPDX-License-Identifier: Apache-2.0
// An entry, with the tensors of the step that runs.

#ifndef SMP_EXEC_ENTRYSTATE_H
#define SMP_EXEC_ENTRYSTATE_H

#include "../plan/EntryPlan.h"
#include "../tensors/StepInputs.h"
#include "../tensors/StepOutputs.h"

namespace smp {

/// Brings a plan, which is made once, and a step's tensors together. An
/// example: the entry is compiled for microbatches of 2 rows, and its outputs
/// are `y`, with rows, and `loss`, a mean. The caller gives `x` with 6 rows.
///
///   1. StepInputs finds that 6 is 3 times 2: the step has 3 microbatches.
///   2. checkJoins(): y and loss both say what becomes of 3 values.
///   3. StepOutputs takes memory for 6 rows of y, for one loss, and for the
///      three losses that it will be the mean of.
///   4. The plan's feeds read rows 0-1, 2-3 and 4-5 of x, its drains write such
///      rows of y and the three losses; reduceOutputs() forms their mean.
class EntryState {
public:
  explicit EntryState(std::unique_ptr<EntryPlan> plan);

  EntryPlan &plan() { return *owned; }
  const EntryPlan &plan() const { return *owned; }
  const Entry &entry() const { return owned->entry; }
  uint32_t microbatches() const { return count; }

  /// Checks a step's inputs against the signature.
  Status bindInputs(std::span<const InputTensor> given,
                    const StepOptions &options);
  /// Then its outputs, and points the plan at both. `gathers`: this rank is
  /// given what all ranks show. Allocates only when a step is larger than those
  /// before.
  Status bindOutputs(const StepOptions &options, bool gathers);
  /// Copies what goes from the caller straight back to the caller.
  void passThrough();
  /// Waits for outputs that other ranks make.
  Status receiveOutputs(Communicator &communicator, uint64_t epoch);
  /// Forms sums and means, when all microbatches' values are there.
  void reduceOutputs() { outputs.reduce(); }
  StepOutput output() const { return outputs.given(); }
  /// Of a twin: what it shows.
  std::span<const ShownValue> shown() const { return outputs.shown(); }

private:
  Status checkApart(std::span<const OutputBinding> bindings) const;
  Status setMicrobatches(uint32_t wanted);
  std::string nameCount() const;
  Status checkJoins() const;
  Status checkSizes() const;
  void pointPlan();
  Status receiveOutput(Communicator &communicator, uint64_t epoch,
                       uint32_t output, uint32_t microbatch);

  std::unique_ptr<EntryPlan> owned;
  StepInputs inputs;
  StepOutputs outputs;
  uint32_t count = 0; // Microbatches of the step.
  bool gathers = true;
  HostMemory piece; // A microbatch from another rank.
};

} // namespace smp

#endif // SMP_EXEC_ENTRYSTATE_H
