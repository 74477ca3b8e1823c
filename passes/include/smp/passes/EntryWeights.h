// SPDX-License-Identifier: Apache-2.0
// How much each entry of a module counts in what is added up over all.

#ifndef SMP_PASSES_ENTRYWEIGHTS_H
#define SMP_PASSES_ENTRYWEIGHTS_H

#include "smp/ir/Smp.h"

namespace smp::passes {

/// Whether the entry has backward work, in ops or in stages.
bool isTrained(ir::EntryOp entry);

/// An entry counts as often as it says (`smp.weight`). Of entries that do not
/// say it those that are trained count once, and the others not at all where
/// one is trained, or else once: a program is trained for longer than it is
/// tried out.
///
/// What counts not at all has the weight kLeast all the same, so that it
/// decides between placements that are alike for all that counts.
class EntryWeights {
public:
  static constexpr double kLeast = 1e-3;

  explicit EntryWeights(mlir::ModuleOp module);
  double of(ir::EntryOp entry) const { return weights.lookup(entry); }

private:
  llvm::DenseMap<mlir::Operation *, double> weights;
};

} // namespace smp::passes

#endif // SMP_PASSES_ENTRYWEIGHTS_H
