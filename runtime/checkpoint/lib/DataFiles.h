// SPDX-License-Identifier: Apache-2.0
// Whether files by a checkpoint's name are a checkpoint's.

#ifndef SMP_CHECKPOINT_DATAFILES_H
#define SMP_CHECKPOINT_DATAFILES_H

#include "smp/base/FileSystem.h"
#include <string>
#include <string_view>
#include <vector>

namespace smp {

/// What a folder has by the names of files of one checkpoint, other than its
/// manifest.
struct DataFiles {
  /// Those that a manager wrote for it, in the order in which they are to be
  /// removed: what is left at any time can be told to be ours.
  std::vector<std::string> ours;
  std::vector<std::string> foreign;

  void add(const std::string &name); ///< To ours.
};

/// Ours are files that the manifest names, set aside or not, that say so
/// themselves, and an index of such. `names` are all that the folder has. Of
/// those in `written`, which are ours, nothing is read.
DataFiles findDataFiles(FileSystem &files, const std::string &folder,
                        const std::vector<std::string> &names,
                        const std::string &checkpoint,
                        const std::vector<std::string> &written = {});
/// Of our files of a checkpoint those that do not say whose they are.
std::vector<std::string> silentOnes(FileSystem &files,
                                    const std::string &folder,
                                    std::vector<std::string> ours,
                                    const std::string &checkpoint);

/// Whether a file is the manifest of a checkpoint.
bool isManifest(FileSystem &files, const std::string &path);

} // namespace smp

#endif // SMP_CHECKPOINT_DATAFILES_H
