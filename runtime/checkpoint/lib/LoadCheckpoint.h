// SPDX-License-Identifier: Apache-2.0
// Reading one checkpoint, and setting what it has.

#ifndef SMP_CHECKPOINT_LOADCHECKPOINT_H
#define SMP_CHECKPOINT_LOADCHECKPOINT_H

#include "smp/base/FileSystem.h"
#include "smp/checkpoint/Checkpoint.h"
#include "smp/checkpoint/RestoreReport.h"

namespace smp {

class Loader;

/// Restores from the files of one checkpoint: all is checked before anything is
/// changed. Borrows what it is given.
class CheckpointLoader {
public:
  /// `path` has no suffix.
  CheckpointLoader(const Checkpoint &checkpoint, std::string path,
                   FileSystem &files, const LogSink &log, bool expectPartial);
  ~CheckpointLoader();

  /// DataLoss: the files are not what was written; InvalidArgument: they are of
  /// something else than the Checkpoint.
  Status check();
  /// What ranks compare, to be sure that they restore the same; after check().
  std::string identity() const;
  /// Of all files; after check().
  uint64_t bytes() const;
  /// Sets everything, after check(), and logs what was left out.
  Status apply();
  /// After check().
  const RestoreReport &report() const;

private:
  const Checkpoint &checkpoint;
  const std::string path;
  FileSystem &files;
  const LogSink &log;
  const bool expectPartial;
  std::unique_ptr<Loader> loader;
};

} // namespace smp

#endif // SMP_CHECKPOINT_LOADCHECKPOINT_H
