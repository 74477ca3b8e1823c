// SPDX-License-Identifier: Apache-2.0
#include "MemoryDisk.h"
#include <algorithm>
#include <cerrno>
#include <cstring>

namespace smp::test {

using Lock = std::lock_guard<std::mutex>;

namespace {
class MemoryFile : public WritableFile {
public:
  explicit MemoryFile(std::shared_ptr<Bytes> content)
      : content(std::move(content)) {}
  int write(uint64_t offset, std::span<const std::byte> bytes) override {
    content->resize(std::max<size_t>(content->size(), offset + bytes.size()));
    std::copy(bytes.begin(), bytes.end(), content->begin() + ptrdiff_t(offset));
    return 0;
  }
  int sync() override { return 0; }

private:
  std::shared_ptr<Bytes> content;
};
} // namespace

StatusOr<OutputPath> MemoryDisk::follow(const std::string &path) {
  return OutputPath::plain(path);
}

int MemoryDisk::make(const std::string &path, const struct stat *,
                     std::unique_ptr<WritableFile> &file) {
  const Lock hold(access);
  if (!folders.count(parentFolder(path)))
    return ENOENT;
  if (has(path))
    return EEXIST;
  auto content = files[path] = std::make_shared<Bytes>();
  file = std::make_unique<MemoryFile>(std::move(content));
  return 0;
}

int MemoryDisk::rename(const std::string &from, const std::string &to) {
  const Lock hold(access);
  auto found = files.find(from);
  if (found == files.end())
    return ENOENT;
  files[to] = found->second;
  files.erase(from);
  return 0;
}

int MemoryDisk::makeFolder(const std::string &path) {
  const Lock hold(access);
  if (!folders.count(parentFolder(path)))
    return ENOENT;
  if (has(path))
    return EEXIST;
  folders.insert(path);
  return 0;
}

int MemoryDisk::syncFolder(const std::string &path) {
  const Lock hold(access);
  return folders.count(path) ? 0 : ENOENT;
}

int MemoryDisk::remove(const std::string &path) {
  const Lock hold(access);
  return files.erase(path) ? 0 : ENOENT;
}

class MemoryLock : public FileLock {
public:
  MemoryLock(MemoryDisk &disk, std::string path)
      : disk(disk), path(std::move(path)) {}
  ~MemoryLock() override {
    const Lock hold(disk.access);
    disk.locked.erase(path);
  }

private:
  MemoryDisk &disk;
  const std::string path;
};

int MemoryDisk::lock(const std::string &path, std::unique_ptr<FileLock> &lock,
                     std::string &holder) {
  const Lock hold(access);
  if (!folders.count(parentFolder(path)))
    return ENOENT;
  if (!locked.insert(path).second) {
    holder = "another one";
    return EBUSY;
  }
  files.emplace(path, std::make_shared<Bytes>());
  lock = std::make_unique<MemoryLock>(*this, path);
  return 0;
}

int MemoryDisk::list(const std::string &folder,
                     std::vector<std::string> &names) {
  const Lock hold(access);
  if (!folders.count(folder))
    return ENOENT;
  for (const auto &[path, content] : files)
    if (parentFolder(path) == folder)
      names.push_back(path.substr(path.rfind('/') + 1));
  return 0;
}

int MemoryDisk::size(const std::string &path, uint64_t &bytes) {
  const Lock hold(access);
  auto found = files.find(path);
  if (found == files.end())
    return ENOENT;
  bytes = found->second->size();
  return 0;
}

StatusOr<FileBytes> MemoryDisk::read(const std::string &path) {
  const Lock hold(access);
  auto found = files.find(path);
  if (found == files.end())
    return unavailable("cannot read '" + path + "': " + std::strerror(ENOENT));
  return FileBytes{*found->second, found->second};
}

} // namespace smp::test
