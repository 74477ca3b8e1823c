// SPDX-License-Identifier: Apache-2.0
// The one way by which files are written: complete under their name, or not at
// all.

#ifndef SMP_BASE_ATOMICFILE_H
#define SMP_BASE_ATOMICFILE_H

#include "smp/base/FileSystem.h"
#include "smp/base/Pieces.h"
#include <functional>

namespace smp {

/// Written under a temporary name in the folder where links lead to. Only
/// commit() gives it its name; an AtomicFile that is destroyed before leaves
/// nothing behind. A file that had the name leaves its mode to the new one, and
/// its owner and group where this process may give them.
///
/// What is special (see OutputPath) gets the bytes as they are written.
class AtomicFile {
public:
  /// Waits at most so long for the other end of a fifo or a socket.
  /// `files` outlives the result.
  static StatusOr<AtomicFile>
  create(const std::string &path, double peerSeconds = OutputPath::kPeerSeconds,
         FileSystem &files = FileSystem::disk());
  AtomicFile(AtomicFile &&other) noexcept;
  AtomicFile &operator=(AtomicFile &&) = delete;
  ~AtomicFile();

  Status write(std::span<const std::byte> bytes);
  /// Gives some bytes from `offset` on, at least one and at most as many as
  /// there is room for: in the room, or in memory that keeps them until this is
  /// written.
  using Filler = std::function<StatusOr<std::span<const std::byte>>(
      uint64_t offset, std::span<std::byte> room)>;
  /// Whether a part that begins there, which the filler gave and which has been
  /// written, was the same all the time; else it is asked for again.
  using Confirm = std::function<bool(uint64_t offset)>;
  /// All of a file of that many bytes, of which nothing is written yet, by
  /// pieces of forEachPiece(). A piece is asked for from its first byte to its
  /// last by one thread. What is special is confirmed, too.
  Status writePieces(uint64_t bytes, const Filler &fill,
                     const Confirm &confirm = {});
  /// All that was written is on the disk: of commit() only the name is left.
  Status flush();
  /// Flushes, renames over what had the name before, and flushes the folder.
  /// When only that fails, the file has its name.
  Status commit();

private:
  AtomicFile(FileSystem &files, OutputPath path);
  FileSystem *files; ///< Borrowed.
  OutputPath path;
  std::unique_ptr<WritableFile> file; ///< Null: special, or closed.
  std::string temporary;              ///< Empty: special, or gone.
  uint64_t written = 0;               ///< Bytes of the file.
  int special = -1;                   ///< Owned; -1: none, or closed.
};

/// A path in the same folder that differs between processes and calls.
std::string temporaryName(const std::string &path);
/// "<file>" of "<file>.tmp-<n>-<n>", as temporaryName() has it;
/// empty for all other names.
std::string_view targetOfTemporary(std::string_view name);

/// Writes a whole file.
Status writeFile(const std::string &path, std::span<const std::byte> bytes,
                 FileSystem &files = FileSystem::disk());
Status writeFile(const std::string &path, std::string_view text,
                 FileSystem &files = FileSystem::disk());

/// Writes a file that names others, which `writeOthers` writes in between: when
/// this file finds no room they are not begun, and when they fail this file is
/// not there.
Status writeFile(const std::string &path, std::span<const std::byte> bytes,
                 const std::function<Status()> &writeOthers);

} // namespace smp

#endif // SMP_BASE_ATOMICFILE_H
