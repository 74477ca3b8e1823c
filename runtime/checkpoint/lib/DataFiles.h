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
  std::vector<std::string> silent; ///< Those of ours that do not say so.
  std::vector<std::string> foreign;
};

/// Ours are files that say so themselves or that the manifest names, set aside
/// or not, and an index of such. `names` are all that the folder has.
DataFiles findDataFiles(FileSystem &files, const std::string &folder,
                        const std::vector<std::string> &names,
                        const std::string &checkpoint);

/// Whether a file is the manifest of a checkpoint.
bool isManifest(FileSystem &files, const std::string &path);

/// "<file>" of "<file>.tmp-<n>-<n>", as an AtomicFile calls what it writes;
/// empty for all other names.
std::string_view targetOfTemporary(std::string_view name);

} // namespace smp

#endif // SMP_CHECKPOINT_DATAFILES_H
