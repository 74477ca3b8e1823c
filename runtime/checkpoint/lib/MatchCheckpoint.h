// SPDX-License-Identifier: Apache-2.0
// Which names of a program and of a checkpoint match.

#ifndef SMP_CHECKPOINT_MATCHCHECKPOINT_H
#define SMP_CHECKPOINT_MATCHCHECKPOINT_H

#include "Keys.h"
#include "smp/checkpoint/RestoreReport.h"
#include "smp/serialization/CheckpointManifest.h"

namespace smp {

/// What is to be read, and what it is to be set to. Borrows the manifest and
/// the Checkpoint.
struct CheckpointMatch {
  using Item = CheckpointManifest::Item;

  struct Variable {
    KeyedVariable variable;
    const Item *item;
  };
  /// The variables of a root that both sides have.
  struct Variables {
    const Checkpoint::Root *root;
    const CheckpointManifest::Root *saved;
    std::vector<Variable> variables;
  };
  struct Value {
    const Checkpoint::Root *root;
    const Item *item;
  };

  std::vector<Variables> sessions;
  std::vector<Value> values;  ///< Saveables that have data.
  std::vector<Value> inParts; ///< Sharded values, of the item's type.
  /// Whether values take what there is, reading shows.
  RestoreReport report;
};

/// Compares names and types; reads nothing. `path` is for the report.
StatusOr<CheckpointMatch> matchCheckpoint(const Checkpoint &checkpoint,
                                          const CheckpointManifest &manifest,
                                          const std::string &path);

/// That what matches may be restored: by default one side may have more than
/// the other only where the checkpoint has roots that the Checkpoint does not
/// name. The error lists all that is not so; InvalidArgument.
Status checkMatch(const RestoreReport &report, const Checkpoint &checkpoint,
                  bool expectPartial);

/// The roots of a checkpoint that a Checkpoint does not name, in its order.
std::vector<std::string> unnamedRoots(const RestoreReport &report,
                                      const Checkpoint &checkpoint);

} // namespace smp

#endif // SMP_CHECKPOINT_MATCHCHECKPOINT_H
