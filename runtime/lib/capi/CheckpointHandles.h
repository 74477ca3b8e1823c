// SPDX-License-Identifier: Apache-2.0
// What the handles of checkpoints hold.

#ifndef SMP_RUNTIME_CAPI_CHECKPOINTHANDLES_H
#define SMP_RUNTIME_CAPI_CHECKPOINTHANDLES_H

#include "Handles.h"
#include "smp/checkpoint/CheckpointManager.h"

namespace smp::capi {

/// Values that have their bytes from the application. Shared by options and
/// managers made of them.
using GivenBytes = std::vector<std::shared_ptr<Saveable>>;

} // namespace smp::capi

struct smp_checkpoint_options {
  smp::Checkpoint checkpoint() const;
  /// What is said first counts.
  void refuse(smp::Status why);

  smp::SessionCore *whole = nullptr; // The session of which all is kept.
  std::vector<smp::Checkpoint::Named> roots;
  smp::capi::GivenBytes givenBytes; // That are among the roots.
  smp::CheckpointManagerOptions options;
  smp::Status problem;
};

struct smp_checkpoint_manager {
  smp::capi::GivenBytes givenBytes;
  smp::CheckpointManager manager; // Ends before what it borrows.
  // What callers got pointers into.
  std::string saved, latest;
  std::vector<std::string> checkpoints;
  smp_save_counts counts = {};
};

struct smp_save_options {
  smp::SaveOptions options;
};

struct smp_checkpoint_save {
  smp::CheckpointSave save;
  std::string path; // Once it was waited for.
};

struct smp_restore_options {
  smp::RestoreOptions options;
};

struct smp_restore_report {
  smp::RestoreReport report;
};

#endif // SMP_RUNTIME_CAPI_CHECKPOINTHANDLES_H
