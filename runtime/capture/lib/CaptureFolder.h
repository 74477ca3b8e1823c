// SPDX-License-Identifier: Apache-2.0
// The folder that a hook writes and analysis tools read.

#ifndef SMP_CAPTURE_CAPTUREFOLDER_H
#define SMP_CAPTURE_CAPTUREFOLDER_H

#include "StepRecords.h"
#include "smp/base/FileSystem.h"
#include "smp/base/Thread.h"

namespace smp {

/// Its files are complete or not there, whatever is killed. While it is open no
/// other process can open it.
class CaptureFolder {
public:
  /// Makes the folder. Fails where readers would misread its path, where
  /// another process writes it, and, unless `resume`, where something was
  /// captured into it before; with `resume` a job that was over goes on.
  /// `files`, which outlives the result, is where it writes.
  static StatusOr<CaptureFolder> open(const std::string &path, bool resume,
                                      FileSystem &files = FileSystem::disk());
  CaptureFolder(CaptureFolder &&) = default;
  /// Ends the claim on the folder.
  ~CaptureFolder();

  /// In the place of those that were there.
  Status writeCollections(const std::string &text) const;
  /// The records before their index. What an earlier run wrote of the step is
  /// replaced. Returns how many bytes they have.
  StatusOr<uint64_t> writeStep(const StepRecords &records) const;
  /// Tells readers that nothing will come.
  Status writeEnd() const;
  const std::string &name() const { return path; }

private:
  CaptureFolder(std::string path, FileSystem &files)
      : path(std::move(path)), files(&files), forks(forkGeneration()) {}
  Status claim();
  Status checkUnused(bool resume) const;
  Status write(const std::string &file, std::span<const std::byte> bytes) const;

  std::string path;
  FileSystem *files;              ///< Borrowed.
  uint32_t forks;                 ///< Of the process whose claim it is.
  std::unique_ptr<FileLock> lock; ///< Of the claim; null once it is moved.
};

} // namespace smp

#endif // SMP_CAPTURE_CAPTUREFOLDER_H
