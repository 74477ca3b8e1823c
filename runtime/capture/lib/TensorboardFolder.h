// SPDX-License-Identifier: Apache-2.0
// The folder that TensorBoard reads: a run for each mode, a file for each step.

#ifndef SMP_CAPTURE_TENSORBOARDFOLDER_H
#define SMP_CAPTURE_TENSORBOARDFOLDER_H

#include "TensorboardEvents.h"
#include "smp/base/FileSystem.h"
#include <array>
#include <map>
#include <optional>

namespace smp {

/// Its files are complete or not there, whatever is killed.
class TensorboardFolder {
public:
  /// Makes the folder. Fails where that cannot be done and, unless `resume`,
  /// where it has the files of another run. `files`, which outlives the result,
  /// is where it writes.
  static StatusOr<TensorboardFolder> open(const std::string &path, bool resume,
                                          FileSystem &files);

  /// In the place of what earlier processes wrote of the step. The first file
  /// of each mode says that a session starts: a second one is what tells
  /// readers that steps are made again. Returns how many bytes it has.
  StatusOr<uint64_t> writeStep(const TensorboardEvents &events);

private:
  TensorboardFolder(const std::string &path, FileSystem &files);
  Status findEarlier(bool resume);
  Status removeEarlier(uint64_t step);
  std::vector<std::byte> headOf(const EventStep &step);

  std::string path;
  FileSystem *files;  ///< Borrowed.
  std::string ending; ///< Of names: this process.
  /// The first step of each mode, by its number minus 1.
  std::array<std::optional<uint64_t>, kNumModes> starts = {};
  /// What other processes wrote, by step.
  std::multimap<uint64_t, std::string> earlier;
};

} // namespace smp

#endif // SMP_CAPTURE_TENSORBOARDFOLDER_H
