// SPDX-License-Identifier: Apache-2.0
// The files of a trial.

#ifndef SMP_TRIAL_TRIALFOLDER_H
#define SMP_TRIAL_TRIALFOLDER_H

#include "smp/base/Status.h"
#include <cstdint>
#include <vector>

namespace smp {

/// An index file: what one worker saved in one step.
struct IndexFile {
  uint64_t step = 0; ///< Of all.
  std::string worker;
  std::string path; ///< Relative to the folder.
};

/// Open until it is destroyed; any thread may read.
class TrialFolder {
public:
  /// Fails when it is no folder.
  static StatusOr<TrialFolder> open(const std::string &path);
  TrialFolder(TrialFolder &&) noexcept;
  TrialFolder &operator=(TrialFolder &&) = delete;
  ~TrialFolder();

  const std::string &path() const { return name; }
  bool has(const std::string &file) const;
  /// The names in a folder, sorted; none where it is not there.
  std::vector<std::string> list(const std::string &folder) const;
  /// All index files, by step and worker.
  std::vector<IndexFile> indexFiles() const;
  /// Those with the collections, by worker.
  std::vector<std::string> collectionFiles() const;

  /// Replaces `text`. Messages name the file.
  Status read(const std::string &file, std::string &text) const;
  /// The same for `count` bytes from `start` on; DataLoss where the file ends
  /// before.
  Status read(const std::string &file, uint64_t start, uint64_t count,
              std::vector<std::byte> &bytes) const;

private:
  TrialFolder(std::string path, int descriptor)
      : name(std::move(path)), descriptor(descriptor) {}

  std::string name;
  int descriptor;
};

} // namespace smp

#endif // SMP_TRIAL_TRIALFOLDER_H
