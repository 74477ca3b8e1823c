// SPDX-License-Identifier: Apache-2.0
// Where bytes go that are written to a path, once its links are followed.

#ifndef SMP_BASE_OUTPUTPATH_H
#define SMP_BASE_OUTPUTPATH_H

#include "smp/base/Status.h"
#include <span>
#include <sys/stat.h>

namespace smp {

/// A path that is to be written, with its links followed to the end; what they
/// lead to need not be there. Messages name the path as it was given, where it
/// leads if that differs, and the reason.
class OutputPath {
public:
  /// How long a fifo waits for its reader, and a socket for its listener.
  static constexpr double kPeerSeconds = 60;

  /// Fails where nothing can be written: on folders, links that go in a circle,
  /// and files that this process may not write.
  static StatusOr<OutputPath> follow(const std::string &path);
  /// The path of a file where there are no links.
  static OutputPath plain(const std::string &path) { return OutputPath(path); }

  /// No regular file: a device, a fifo, a socket, or an open descriptor such as
  /// /dev/stdout. It is written to as it is and never replaced, and nothing can
  /// lie beside it.
  bool isSpecial() const { return kind == Kind::Special; }
  /// Of the regular file that is there; null when there is none.
  const struct stat *existing() const {
    return kind == Kind::Existing ? &info : nullptr;
  }
  /// What the links lead to.
  const std::string &target() const { return path; }

  /// A descriptor, owned by the caller, that writes to what is special. Waits
  /// at most so long for a reader or listener that is not there.
  StatusOr<int> openSpecial(double peerSeconds = kPeerSeconds) const;
  /// Writes all of the bytes. A reader that goes away is an error and not the
  /// signal that ends a process.
  Status writeAll(int descriptor, std::span<const std::byte> bytes) const;
  /// What an operation on the path that failed with `error` is told as.
  Status cannotWrite(int error) const;

private:
  enum class Kind { Absent, Existing, Special };

  explicit OutputPath(const std::string &name) : given(name), path(name) {}
  Status followLinks();
  Status classify();
  Status cannotWrite(const std::string &reason, StatusCode code) const;

  std::string given, path;
  Kind kind = Kind::Absent;
  struct stat info = {};
  int descriptor = -1; ///< Of this process, borrowed: what the path names.
};

/// The path of the file `name` in the folder of `path` as it is given, where
/// whoever opens that path looks for it. An error when the path is special.
StatusOr<std::string> pathBeside(const std::string &path,
                                 const std::string &name);

} // namespace smp

#endif // SMP_BASE_OUTPUTPATH_H
