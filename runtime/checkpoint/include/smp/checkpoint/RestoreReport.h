// SPDX-License-Identifier: Apache-2.0
// What restoring has done. Since 0.1.
//
//   auto restored = manager.restore();
//   if (restored.ok() && !*restored)
//     ...                                    // There is no checkpoint yet.
//   Status all = restored->assertConsumed(); // Nothing was left out either.

#ifndef SMP_CHECKPOINT_RESTOREREPORT_H
#define SMP_CHECKPOINT_RESTOREREPORT_H

#include "smp/base/Export.h"
#include "smp/base/Status.h"
#include "smp/model/Shape.h"
#include <vector>

namespace smp {

struct RestoreOptions {
  /// When the latest checkpoint is damaged, takes the newest one that is not.
  bool fallBack = false;
  /// What only one side has is no error: what the checkpoint lacks stays as it
  /// is, what only it has is left out, and the report has both.
  bool expectPartial = false;
  /// The checkpoint to restore, of any name in the folder: "ckpt-3", or its
  /// path as save() gave it. Empty: the latest. When it is damaged that is an
  /// error, and the latest stays what it is.
  std::string name = {};
};

/// Which names of the program and of a checkpoint match. A name is a key of
/// the checkpoint: "model/w", "epoch".
struct SMP_API RestoreReport {
  /// The same name with another type.
  struct Retyped {
    std::string name;
    TensorType saved, wanted;
  };
  /// A value whose Saveable::check() refuses what the checkpoint has.
  struct Refused {
    std::string name, why;
  };

  /// Of the checkpoint, without suffix; empty: nothing was restored.
  std::string path;
  std::vector<std::string> matched;
  std::vector<std::string> missing; ///< The program has them alone.
  std::vector<std::string> extra;   ///< The checkpoint has them alone.
  /// These are always an error of restore(), which lists them; what it gives
  /// when it is good has none.
  std::vector<Retyped> reshaped; ///< Of the same element type.
  std::vector<Retyped> retyped;
  std::vector<Refused> refused;

  /// Whether there was a checkpoint to restore.
  bool restored() const { return !path.empty(); }
  explicit operator bool() const { return restored(); }
  /// That all that the program has was restored, and all that the checkpoint
  /// has. The error, FailedPrecondition, lists each name that was not.
  Status assertConsumed() const;
  /// That all that the program has was restored.
  Status assertExistingMatched() const;
};

/// All that does not match, in words for a message; empty when all does.
SMP_API std::string differencesOf(const RestoreReport &report);

} // namespace smp

#endif // SMP_CHECKPOINT_RESTOREREPORT_H
