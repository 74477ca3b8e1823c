// SPDX-License-Identifier: Apache-2.0
// The folder that a hook writes and analysis tools read.

#ifndef SMP_CAPTURE_CAPTUREFOLDER_H
#define SMP_CAPTURE_CAPTUREFOLDER_H

#include "StepRecords.h"
#include "smp/base/FileSystem.h"
#include "smp/base/ProcessMark.h"

namespace smp {

/// Which of the processes that write a folder.
struct CaptureWorker {
  uint32_t number = 0;
  uint32_t count = 1;
  std::string name() const { return "worker_" + std::to_string(number); }
};

/// Its files are complete or not there, whatever is killed. Of one worker no
/// other process can open it while it is open; of several each has its own
/// files.
class CaptureFolder {
public:
  /// Makes the folder. Fails where readers would misread its path, where
  /// another process writes it, and, unless `resume`, where something was
  /// captured into it before; with `resume` a job that was over goes on.
  /// `files`, which outlives the result, is where it writes.
  static StatusOr<CaptureFolder> open(const std::string &path, bool resume,
                                      const CaptureWorker &worker = {},
                                      FileSystem &files = FileSystem::disk());
  CaptureFolder(CaptureFolder &&) = default;
  /// Ends the claim on the folder.
  ~CaptureFolder();

  /// In the place of those that were there.
  Status writeCollections(const std::string &text) const;
  /// The records before their index. What an earlier run wrote of the step is
  /// replaced. Returns how many bytes they have.
  StatusOr<uint64_t> writeStep(const StepRecords &records) const;
  /// Tells readers that nothing will come; of several workers the last one
  /// does.
  Status writeEnd() const;
  /// As it was given; it is where that was when the folder was opened.
  const std::string &name() const { return given; }
  /// Whether others write it too. Then a step that all of them wrote is
  /// complete.
  bool isOfSeveral() const { return worker.count > 1; }

private:
  CaptureFolder(const std::string &path, const CaptureWorker &worker,
                FileSystem &files)
      : given(path), path(absolutePath(path)), worker(worker), files(&files) {}
  Status claim();
  Status checkUnused(bool resume) const;
  Status takeBackEnd() const;
  Status removeLeftovers() const;
  std::string stepFile(uint64_t step, std::string_view suffix) const;
  std::string eventsFile(uint64_t step) const;
  std::string indexFile(uint64_t step) const;
  std::string collectionsFile() const;
  Status write(const std::string &file, std::span<const std::byte> bytes) const;

  std::string given, path;
  CaptureWorker worker;
  FileSystem *files;              ///< Borrowed.
  ProcessMark mark;               ///< Whose claim it is.
  std::unique_ptr<FileLock> lock; ///< Of the claim; null once it is moved.
};

} // namespace smp

#endif // SMP_CAPTURE_CAPTUREFOLDER_H
