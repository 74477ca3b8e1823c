// SPDX-License-Identifier: Apache-2.0
// A file that only grows, by whole lines.

#ifndef SMP_CAPTURE_LINESFILE_H
#define SMP_CAPTURE_LINESFILE_H

#include "smp/base/OutputPath.h"
#include <cstdint>
#include <string_view>

namespace smp {

/// What it appends is there as soon as append() returns; a process that is
/// killed leaves at most a part of the last line, which the next one removes.
/// A fifo or a device gets the lines as they come.
class LinesFile {
public:
  LinesFile() = default;
  LinesFile(const LinesFile &) = delete;
  ~LinesFile();

  /// Makes the folder and the file where they are not there.
  Status open(const std::string &folder, const std::string &name);
  bool isOpen() const { return descriptor >= 0; }
  /// `lines` ends with a newline. When it fails, the file is as it was.
  Status append(std::string_view lines);

private:
  Status openFile();
  Status dropTornLine();

  std::optional<OutputPath> path; ///< There once it has been opened.
  int descriptor = -1;            ///< Owned; -1: closed.
  int64_t size = 0;               ///< Of a regular file.
};

} // namespace smp

#endif // SMP_CAPTURE_LINESFILE_H
