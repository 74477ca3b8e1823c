// SPDX-License-Identifier: Apache-2.0
// A save that goes on beside training. Since 0.1.

#ifndef SMP_CHECKPOINT_CHECKPOINTSAVE_H
#define SMP_CHECKPOINT_CHECKPOINTSAVE_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace smp {

/// What one save is to be. Ranks that save together give the same number.
struct SaveOptions {
  /// Of the checkpoint, from 0; nothing: one more than the largest that there
  /// was. One that this manager may delete is replaced, and is the newest then:
  /// until the new one is complete, and where it fails, the old one stays.
  std::optional<int64_t> number = {};
  /// Whether checkpointInterval says if there is a save. The step that was
  /// saved last is not saved again in either case, where there is one.
  bool checkInterval = true;
  /// How good the checkpoint is, for keepBest; the same on all ranks. One that
  /// is not finite is none: it is never the best.
  std::optional<double> metric = {};
};

/// What becomes of a save, and where: the checkpoint's path without suffix;
/// empty when checkpointInterval left it out. Cancelled when a newer save took
/// its place, or the budget left it out.
using SaveResult = StatusOr<std::string>;
/// Called once, on the manager's thread, or before the call that asked for the
/// save returns when nothing is to be done. It calls no manager and waits for
/// no save.
using OnSaved = std::function<void(const SaveResult &)>;

/// Copies stand for the same save, and may outlive the manager. Any thread may
/// call anything.
class SMP_API CheckpointSave {
public:
  /// Whether it is known what has become of it.
  bool done() const;
  /// Waits until then; when it is good the checkpoint is durable. Fails in a
  /// process that was forked off before.
  SaveResult wait() const;

  struct State;
  explicit CheckpointSave(std::shared_ptr<State> state);

private:
  std::shared_ptr<State> state; // Shared with the manager, and by copies.
};

/// How many saves a manager was asked for, by what became of them.
struct SaveCounts {
  uint64_t committed = 0;
  uint64_t failed = 0;
  uint64_t replaced = 0; ///< A newer one took their place while they waited.
  uint64_t spaced = 0;   ///< The budget left them out.
  uint64_t notDue = 0;   ///< checkpointInterval left them out.
  uint64_t waits = 0;    ///< Calls that waited for a place.
};

} // namespace smp

#endif // SMP_CHECKPOINT_CHECKPOINTSAVE_H
