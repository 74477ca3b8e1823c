// SPDX-License-Identifier: Apache-2.0
// Waiting for a folder to change.

#ifndef SMP_TRIAL_FOLDERWATCH_H
#define SMP_TRIAL_FOLDERWATCH_H

#include <chrono>
#include <set>
#include <string>

namespace smp {

/// Watches folders for new files, by inotify(7). Of one thread at a time.
class FolderWatch {
public:
  FolderWatch();
  FolderWatch(const FolderWatch &) = delete;
  FolderWatch &operator=(const FolderWatch &) = delete;
  ~FolderWatch();

  /// From now on; a folder that is watched already, or is not there, is left
  /// out.
  void add(const std::string &folder);
  /// Returns true as soon as a file has come since the last call, whole or by
  /// a rename; false after `limit`, or earlier: what another machine writes to
  /// a shared disk raises no event here, so one looks now and then.
  bool wait(std::chrono::milliseconds limit);

private:
  const int queue; // Negative where the system has no more of them.
  std::set<std::string> watched;
};

} // namespace smp

#endif // SMP_TRIAL_FOLDERWATCH_H
