// SPDX-License-Identifier: Apache-2.0
// What the caller gives an entry for one step.

#ifndef SMP_EXEC_STEPINPUTS_H
#define SMP_EXEC_STEPINPUTS_H

#include "Slicing.h"
#include "Slots.h"
#include "smp/exec/SessionTypes.h"

namespace smp {

/// The inputs of an entry, of the step that was bound last.
class StepInputs {
public:
  /// `needed` says by input whether a step must be given it. Borrows the entry.
  StepInputs(const Entry &entry, std::vector<bool> needed);

  /// Checks a step's tensors against the signature. Allocates copies of those
  /// that are not aligned, when they are larger than those before.
  Status bind(std::span<const InputTensor> inputs);
  /// How many microbatches they hold; 0: none of them says it.
  uint32_t microbatches() const { return count; }
  /// One that says it, or null.
  const EntryTensor *countedBy() const { return counted; }
  /// Before the next two, once the number is known: also gives the inputs that
  /// ask for it the number of each microbatch.
  void divide(uint32_t microbatches);

  const std::byte *data(size_t input) const { return tensors[input]; }
  const Slicing &slicing(size_t input) const { return slicings[input]; }

private:
  StatusOr<size_t> find(std::string_view name) const;
  Status bindOne(const InputTensor &input);
  Status countMicrobatches(const EntryTensor &tensor, const TensorView &view);
  Status checkData(size_t input);

  const Entry &entry;
  // By input.
  std::vector<bool> needed, given;
  std::vector<const std::byte *> tensors;
  std::vector<HostMemory> copies; // Of those not aligned.
  std::vector<Slicing> slicings;

  uint32_t count = 0;
  const EntryTensor *counted = nullptr;
  uint32_t divided = 0;         // The microbatches that slicings are for.
  std::vector<int64_t> numbers; // Of the microbatches: 0, 1, ...
};

} // namespace smp

#endif // SMP_EXEC_STEPINPUTS_H
