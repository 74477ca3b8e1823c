// SPDX-License-Identifier: Apache-2.0
// Which checkpoints of a folder are deleted, and why the others are not.

#ifndef SMP_CHECKPOINT_DELETIONRULES_H
#define SMP_CHECKPOINT_DELETIONRULES_H

#include "smp/checkpoint/CheckpointManager.h"
#include <span>

namespace smp {

struct KeepOptions {
  std::optional<int64_t> maxToKeep = {}; ///< Nothing: all stay.
  std::optional<double> everyHours = {};
  std::optional<KeepBest> best = {};
};

/// Whose a checkpoint is: a manager deletes what it wrote and, once it has
/// restored, what its predecessors listed.
enum class Whose : uint8_t { Ours, Predecessors, Nobodys, OtherNames };

/// A checkpoint, as far as the rules ask.
struct Keepable {
  std::string name;
  double time = 0; ///< Seconds since 1970.
  Whose whose = Whose::Ours;
  bool isLatest = false;
  bool isPinned = false;
  std::optional<double> metric = {}; ///< Finite.
};

enum class KeepReason : uint8_t {
  None, ///< It is deleted.
  OtherName,
  NotListed,
  NotTakenOver,
  All, ///< maxToKeep is nothing.
  Latest,
  Newest,
  Pinned,
  Best,
  Hours, ///< For ever: it is listed no more.
};

/// Why it is not the manager's to delete; None: it is.
KeepReason reasonOf(Whose whose);

struct DeletionPlan {
  std::vector<KeepReason> reasons; ///< Of each checkpoint.
  double lastPreserved;            ///< From then on.
};

/// Of those that the manager may delete the newest stay; of the others those
/// that are pinned, and those that are the best of all; of what is left then
/// with `everyHours`, oldest first, each that is so much later than the last
/// one that stayed for that: TensorFlow's sweep.
DeletionPlan planDeletions(std::span<const Keepable> oldestFirst,
                           const KeepOptions &options, double lastPreserved);

/// A sentence.
std::string toString(KeepReason reason, const KeepOptions &options);

} // namespace smp

#endif // SMP_CHECKPOINT_DELETIONRULES_H
