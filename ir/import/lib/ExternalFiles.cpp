// SPDX-License-Identifier: Apache-2.0
#include "ExternalFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using llvm::StringRef;
using smp::ir::Weight;

namespace smp::frontend {

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

namespace {

/// Closed at the end of its life; -1: errno says why there is none.
class Descriptor {
public:
  explicit Descriptor(int number) : number(number) {}
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number, other.number);
    return *this;
  }
  ~Descriptor() {
    if (number >= 0)
      ::close(number);
  }

  int number;
};

} // namespace

/// Opens `path` below `folder`, both without links. What has become a link
/// since then is not followed. Never waits.
static int openBelow(StringRef folder, StringRef path) {
  constexpr int kFolder = O_PATH | O_DIRECTORY | O_CLOEXEC;
  Descriptor at(::open(folder.str().c_str(), kFolder));
  auto [name, rest] = path.split('/');
  while (at.number >= 0 && !rest.empty()) {
    at = Descriptor(
        ::openat(at.number, name.str().c_str(), kFolder | O_NOFOLLOW));
    std::tie(name, rest) = rest.split('/');
  }
  return at.number < 0 ? -1
                       : ::openat(at.number, name.str().c_str(),
                                  O_RDONLY | O_NONBLOCK | O_NOFOLLOW |
                                      O_NOCTTY | O_CLOEXEC);
}

/// What is left of `path` below `folder`, both without links; nothing when it
/// is elsewhere.
static std::optional<StringRef> pathBelow(StringRef folder, StringRef path) {
  if (path == folder)
    return StringRef(".");
  folder.consume_back("/"); // That of "/".
  if (path.consume_front(folder) && path.consume_front("/"))
    return path;
  return std::nullopt;
}

/// Of what can be opened and is no regular file.
static const char *kindOf(const struct stat &info) {
  return S_ISDIR(info.st_mode)    ? "a folder"
         : S_ISFIFO(info.st_mode) ? "a fifo"
                                  : "a device";
}

/// The whole of a regular file.
static StatusOr<std::unique_ptr<llvm::MemoryBuffer>>
mapFile(int descriptor, const std::string &path) {
  struct stat info;
  if (::fstat(descriptor, &info) != 0)
    return unavailable(std::strerror(errno));
  if (!S_ISREG(info.st_mode))
    return invalidArgument(std::string("it is ") + kindOf(info) +
                           "; name a regular file");
  auto buffer =
      llvm::MemoryBuffer::getOpenFile(descriptor, path, uint64_t(info.st_size),
                                      /*RequiresNullTerminator=*/false);
  if (!buffer)
    return unavailable(buffer.getError().message());
  return std::move(*buffer);
}

//===----------------------------------------------------------------------===//
// Finding
//===----------------------------------------------------------------------===//

static std::string quoted(StringRef text) { return "'" + text.str() + "'"; }

ExternalFiles::ExternalFiles(StringRef folder, StringRef allowed)
    : folders{folder.empty() ? "." : folder.str()} {
  if (!allowed.empty())
    folders.push_back(allowed.str());
}

/// The path that the location leads to, without links.
StatusOr<std::string> ExternalFiles::resolve(StringRef location) const {
  std::error_code reason = std::make_error_code(std::errc::invalid_argument);
  const bool isPath = !location.empty() && !location.contains('\0');
  for (size_t i = 0; isPath && i < folders.size(); ++i) {
    llvm::SmallString<256> path(folders[i]), real;
    if (llvm::sys::path::is_absolute(location))
      path = location;
    else
      llvm::sys::path::append(path, location);
    reason = llvm::sys::fs::real_path(path, real);
    if (!reason)
      return real.str().str();
    if (reason != std::errc::no_such_file_or_directory)
      break;
  }
  return unavailable(reason.message() +
                     "; keep the file in the model's folder, or name the "
                     "folder that it is in with --external-data");
}

Status ExternalFiles::isOutside(const std::string &path) const {
  std::string where = "outside of the model's folder " + quoted(folders[0]);
  if (folders.size() > 1)
    where += " and of " + quoted(folders[1]);
  return invalidArgument("it leads to " + quoted(path) + ", " + where +
                         "; keep the file there, or name the folder that it "
                         "is in with --external-data");
}

StatusOr<ExternalFiles::Buffer>
ExternalFiles::map(const std::string &path) const {
  for (const std::string &folder : folders) {
    llvm::SmallString<256> real;
    if (llvm::sys::fs::real_path(folder, real))
      continue;
    std::optional<StringRef> below = pathBelow(real, path);
    if (!below)
      continue;
    const Descriptor file(openBelow(real, *below));
    if (file.number < 0)
      return unavailable(std::strerror(errno));
    SMP_ASSIGN_OR_RETURN(auto buffer, mapFile(file.number, path));
    return Buffer(std::move(buffer));
  }
  return isOutside(path);
}

std::vector<std::string> ExternalFiles::paths() const {
  std::vector<std::string> paths;
  for (const auto &file : files)
    if (file.second)
      paths.push_back(file.second->getBufferIdentifier().str());
  llvm::sort(paths);
  return paths;
}

StatusOr<Weight> ExternalFiles::read(StringRef location, uint64_t offset,
                                     uint64_t length) {
  const std::string where = "has external data in " + quoted(location);
  Buffer &file = files[location];
  if (!file) {
    SMP_ASSIGN_OR_RETURN(std::string path, resolve(location).in(where));
    SMP_ASSIGN_OR_RETURN(file, map(path).in(where));
  }
  const uint64_t size = file->getBufferSize();
  if (offset > size || length > size - offset)
    return invalidArgument(
        where + ", which has " + std::to_string(size) +
        " bytes; the tensor needs " + std::to_string(length) + " from byte " +
        std::to_string(offset) + " on: the file is cut, or of another model");
  auto *start = reinterpret_cast<const std::byte *>(file->getBufferStart());
  return Weight{{}, {start + offset, size_t(length)}, file};
}

} // namespace smp::frontend
