// SPDX-License-Identifier: Apache-2.0
// One save, from when it is asked for to when it is done.

#ifndef SMP_CHECKPOINT_SAVEJOB_H
#define SMP_CHECKPOINT_SAVEJOB_H

#include "SavedState.h"
#include "smp/base/ProcessMark.h"
#include "smp/checkpoint/CheckpointSave.h"
#include "smp/device/Changes.h"
#include <atomic>
#include <utility>

namespace smp {

struct CheckpointSave::State {
  OnSaved onSaved;
  Status status; // Both are written before it is done.
  std::string path;
  std::atomic<bool> isDone{false};
  const ProcessMark mark;
  Changes changes;

  void finish(const SaveResult &result);
};

/// Memory for what one save takes.
struct SaveSlot {
  std::unique_ptr<SavedState> saved; // Null: not used yet.
  std::atomic<bool> isFree{true};
};

/// What a call of save() wants, which all ranks have to want. Further
/// options of the call say whether there is a save.
struct SaveWish {
  std::optional<int64_t> number;
  std::optional<double> metric; ///< Finite.
};
/// "number 5 with the metric 0.25", as a part of a sentence.
std::string toString(const SaveWish &wish);

struct SaveJob {
  uint64_t call = 0; ///< Its number among the calls of the manager.
  SaveWish wish = {};
  Status ready; ///< An error of this rank, which is the end for all.
  SaveSlot *slot = nullptr; ///< Null: there is an error.
  double cost = 0;          ///< Seconds it has taken from training.
  std::shared_ptr<CheckpointSave::State> handle = {}; ///< Null: nobody asks.

  /// The slot is another save's from here on.
  void releaseSlot() {
    if (!slot)
      return;
    if (slot->saved)
      slot->saved->drop();
    std::exchange(slot, nullptr)->isFree = true;
  }
};

} // namespace smp

#endif // SMP_CHECKPOINT_SAVEJOB_H
