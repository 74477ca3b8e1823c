// SPDX-License-Identifier: Apache-2.0
#include "TrialFolder.h"
#include "smp/base/Quote.h"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <tuple>
#include <unistd.h>
#include <utility>

namespace smp {

namespace {
class Descriptor {
public:
  Descriptor(int folder, const std::string &file)
      : number(openat(folder, file.c_str(), O_RDONLY | O_CLOEXEC)) {}
  Descriptor(const Descriptor &) = delete;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
  const int number;
};
} // namespace

static Status systemError(const std::string &file) {
  return unavailable(quote(file) + ": " + std::strerror(errno));
}

StatusOr<TrialFolder> TrialFolder::open(const std::string &path) {
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    return invalidArgument(quote(path) + " is no folder that can be read: " +
                           std::strerror(errno));
  return TrialFolder(path, descriptor);
}

TrialFolder::TrialFolder(TrialFolder &&other) noexcept
    : name(std::move(other.name)),
      descriptor(std::exchange(other.descriptor, -1)) {}

TrialFolder::~TrialFolder() {
  if (descriptor >= 0)
    close(descriptor);
}

bool TrialFolder::has(const std::string &file) const {
  return faccessat(descriptor, file.c_str(), F_OK, 0) == 0;
}

std::vector<std::string> TrialFolder::list(const std::string &folder) const {
  std::vector<std::string> names;
  const int number =
      openat(descriptor, folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = number < 0 ? nullptr : fdopendir(number);
  if (!entries)
    return names;
  while (const dirent *entry = readdir(entries))
    if (entry->d_name[0] != '.')
      names.emplace_back(entry->d_name);
  closedir(entries);
  std::ranges::sort(names);
  return names;
}

/// "000000000007_worker_0.json"; none when it is no index file.
static std::optional<IndexFile> parseName(std::string_view name) {
  static constexpr std::string_view kEnd = ".json";
  IndexFile file;
  if (!name.ends_with(kEnd))
    return std::nullopt;
  const char *end = name.data() + name.size() - kEnd.size();
  const auto [stop, error] = std::from_chars(name.data(), end, file.step);
  if (error != std::errc() || end - stop < 2 || *stop != '_' ||
      file.step > INT64_MAX)
    return std::nullopt;
  file.worker.assign(stop + 1, end);
  return file;
}

std::vector<IndexFile> TrialFolder::indexFiles() const {
  std::vector<IndexFile> files;
  for (const std::string &folder : list("index"))
    for (const std::string &name : list("index/" + folder))
      if (auto file = parseName(name)) {
        file->path = "index/" + folder + "/" + name;
        files.push_back(std::move(*file));
      }
  std::ranges::sort(files, [](const IndexFile &one, const IndexFile &other) {
    return std::tie(one.step, one.worker) < std::tie(other.step, other.worker);
  });
  return files;
}

std::vector<std::string> TrialFolder::collectionFiles() const {
  std::vector<std::string> files;
  for (const std::string &folder : list("collections"))
    for (const std::string &name : list("collections/" + folder))
      if (name.ends_with("_collections.json"))
        files.push_back("collections/" + folder + "/" + name);
  return files;
}

Status TrialFolder::read(const std::string &file, std::string &text) const {
  const Descriptor open(descriptor, file);
  struct stat about;
  if (open.number < 0 || fstat(open.number, &about) != 0)
    return systemError(file);
  text.resize(size_t(about.st_size));
  size_t size = 0;
  while (size < text.size()) {
    const ssize_t got =
        ::read(open.number, text.data() + size, text.size() - size);
    if (got < 0)
      return systemError(file);
    if (got == 0)
      break;
    size += size_t(got);
  }
  text.resize(size);
  return Status();
}

Status TrialFolder::read(const std::string &file, uint64_t start,
                         uint64_t count, std::vector<std::byte> &bytes) const {
  // Whoever wrote the index may ask for more memory than there is.
  static constexpr uint64_t kSurelyThere = 1 << 20;
  const Descriptor open(descriptor, file);
  struct stat about;
  if (open.number < 0 ||
      (count > kSurelyThere && fstat(open.number, &about) != 0))
    return systemError(file);
  const auto endsAt = [&](uint64_t end) {
    return dataLoss(quote(file) + " ends at byte " + std::to_string(end) +
                    ", within a record");
  };
  if (count > kSurelyThere && uint64_t(about.st_size) < start + count)
    return endsAt(uint64_t(about.st_size));
  bytes.resize(count);
  for (uint64_t done = 0; done < count;) {
    const ssize_t got = pread(open.number, bytes.data() + done, count - done,
                              off_t(start + done));
    if (got < 0)
      return systemError(file);
    if (got == 0)
      return endsAt(start + done);
    done += uint64_t(got);
  }
  return Status();
}

} // namespace smp
