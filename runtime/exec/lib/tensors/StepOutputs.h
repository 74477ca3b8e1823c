// SPDX-License-Identifier: Apache-2.0
// What an entry gives the caller after one step.

#ifndef SMP_EXEC_STEPOUTPUTS_H
#define SMP_EXEC_STEPOUTPUTS_H

#include "Slicing.h"
#include "Slots.h"
#include "smp/exec/StepObserver.h"

namespace smp {

/// The outputs of an entry, of the step that was bound last.
class StepOutputs {
public:
  /// What is known of an output before any step.
  struct Known {
    bool isWanted = false;    ///< Here.
    bool isPerStep = false;   ///< Made once, not by every microbatch.
    bool isElsewhere = false; ///< Made by another rank.
    std::string_view stage;   ///< That makes it; outlives this.
    uint32_t partition = 0;   ///< Of the stage.
  };
  /// By output. Borrows the entry.
  StepOutputs(const Entry &entry, std::vector<Known> known);

  bool isWanted(size_t output) const { return known[output].isWanted; }
  /// Whether the output is given here in a step that `gathers`, or not, what
  /// other ranks show.
  bool isGiven(size_t output, bool gathers) const {
    return known[output].isWanted &&
           (gathers || !known[output].isElsewhere || !entry.isShown(output));
  }
  /// Gives every output that is given here memory: the caller's where it is
  /// bound, else our own. Allocates only when a step is larger than those
  /// before.
  Status place(uint32_t microbatches, std::span<const OutputBinding> bindings,
               bool gathers);

  /// How often the output is made in a step.
  uint32_t timesMade(size_t output) const {
    return known[output].isPerStep ? 1 : count;
  }
  /// Where its values are made, and how they lie there.
  std::byte *data(size_t output) const { return made[output]; }
  const Slicing &slicing(size_t output) const { return slicings[output]; }

  /// Forms sums and means, when all microbatches' values are there.
  void reduce();
  /// Those for the caller.
  StepOutput given() const {
    return StepOutput(std::span(tensors).first(numGiven));
  }
  /// Those of a twin for who watches.
  std::span<const ShownValue> shown() const { return views; }

private:
  /// Whether the output is the sum or mean of several values.
  bool isReduced(size_t output) const;
  /// How many values the output is given as.
  uint32_t timesGiven(size_t output) const {
    return isReduced(output) ? 1 : timesMade(output);
  }
  Status checkNames(std::span<const OutputBinding> bindings) const;
  Status checkBinding(size_t output, const OutputBinding &binding) const;
  uint64_t bytesGiven(size_t output) const;
  void describe();
  Status placeOne(size_t output, std::span<const OutputBinding> bindings);

  const Entry &entry;
  uint32_t count = 0; // Microbatches.
  // By output.
  std::vector<Known> known;
  std::vector<Slicing> slicings;
  std::vector<Shape> shapes; // Of all microbatches.
  std::vector<std::byte *> made;
  std::vector<HostMemory> results; // Our own.
  std::vector<HostMemory> values;  // Of what is reduced.
  std::vector<size_t> tensorOf;    // Of the wanted ones.

  std::vector<OutputTensor> tensors; // Of the wanted ones.
  size_t numGiven = 0;               // Of these.
  std::vector<ShownValue> views;     // Of the others that are given.
};

} // namespace smp

#endif // SMP_EXEC_STEPOUTPUTS_H
