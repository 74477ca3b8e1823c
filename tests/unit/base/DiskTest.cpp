// SPDX-License-Identifier: Apache-2.0
// The disk as a FileSystem: what is written past the page cache, what happens
// where it refuses, and when folders cannot be synced.
#include "TemporaryFolder.h"
#include "smp/base/AtomicFile.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace smp;

namespace {

/// What the operations below are to fail with; 0: not at all.
struct {
  int directWrite = 0, folderSync = 0;
  int directWrites = 0, plainWrites = 0; // Counted.
} disk;

} // namespace

// In front of the C library's.
#pragma GCC visibility push(default)
extern "C" {
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
  const bool isDirect = fcntl(file, F_GETFL) & O_DIRECT;
  ++(isDirect ? disk.directWrites : disk.plainWrites);
  if (isDirect && disk.directWrite) {
    errno = disk.directWrite;
    return -1;
  }
  return syscall(SYS_pwrite64, file, bytes, size, offset);
}
int fsync(int file) {
  struct stat info;
  if (disk.folderSync && fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    errno = disk.folderSync;
    return -1;
  }
  return int(syscall(SYS_fsync, file));
}
}
#pragma GCC visibility pop

namespace {

class DiskTest : public testing::Test {
protected:
  DiskTest() { disk = {}; }
  ~DiskTest() override { disk = {}; }

  /// Writes text in pieces of these sizes, in turn, each of aligned memory.
  static int writeFile(FileSystem &files, const std::string &path,
                       const std::string &text, std::vector<size_t> pieces) {
    std::unique_ptr<WritableFile> file;
    if (const int error = files.make(path, nullptr, file))
      return error;
    size_t at = 0;
    for (size_t i = 0; at < text.size(); ++i) {
      const auto piece =
          std::string_view(text).substr(at, pieces[i % pieces.size()]);
      const std::span<std::byte> room = aligned(piece.size());
      std::memcpy(room.data(), piece.data(), piece.size());
      if (const int error = file->write(at, room))
        return error;
      at += piece.size();
    }
    return file->sync();
  }

  /// Memory that direct reads and writes take, until the next call.
  static std::span<std::byte> aligned(size_t size) {
    struct alignas(4096) Block {
      std::byte bytes[4096];
    };
    static std::vector<Block> blocks;
    blocks.resize(std::max(blocks.size(), size / sizeof(Block) + 1));
    return {blocks.front().bytes, size};
  }

  /// What reading it in pieces of that size gives.
  static std::string readFile(FileSystem &files, const std::string &path,
                              size_t piece) {
    auto file = files.open(path);
    EXPECT_TRUE(file.ok()) << file.status().message();
    std::string text((*file)->size(), '\0');
    for (size_t at = 0; at < text.size(); at += piece) {
      const auto room = aligned(std::min(piece, text.size() - at));
      EXPECT_EQ((*file)->read(at, room), 0);
      std::memcpy(text.data() + at, room.data(), room.size());
    }
    return text;
  }

  static std::string textOf(size_t size) {
    std::string text(size, '\0');
    for (size_t i = 0; i < size; ++i)
      text[i] = char(i * 7 + i / 4093);
    return text;
  }

  /// Whether the folder's file system takes direct writes, asked of it past
  /// what is tested.
  bool takesDirectWrites() {
    const int file = open(folder.file("probe").c_str(),
                          O_WRONLY | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
    if (file < 0)
      return false;
    alignas(4096) static const char block[4096] = {};
    const bool isTaken = syscall(SYS_pwrite64, file, block, sizeof(block),
                                 off_t(0)) == sizeof(block);
    close(file);
    unlink(folder.file("probe").c_str());
    return isTaken;
  }

  TemporaryFolder folder;
};

constexpr size_t kMiB = 1 << 20;

TEST_F(DiskTest, EverySizeInEveryPieceIsWrittenAndRead) {
  for (FileSystem *files : {&FileSystem::disk(), &FileSystem::uncachedDisk()})
    for (size_t size : {size_t(0), size_t(1), size_t(4095), size_t(4096),
                        kMiB - 1, kMiB, kMiB + 1, 3 * kMiB, 5 * kMiB + 4097})
      for (const std::vector<size_t> &pieces : {std::vector<size_t>{64 + size},
                                                {320, 70000, 3},
                                                {kMiB},
                                                {2 * kMiB + 5, 4096}}) {
        const std::string text = textOf(size);
        ASSERT_EQ(writeFile(*files, folder.file("a"), text, pieces), 0);
        ASSERT_TRUE(folder.read("a") == text) << size;
        auto read = files->read(folder.file("a"));
        ASSERT_TRUE(read.ok());
        ASSERT_EQ(read->bytes.size(), size);
        ASSERT_TRUE(readFile(*files, folder.file("a"), kMiB) == text) << size;
        ASSERT_EQ(files->remove(folder.file("a")), 0);
      }
}

TEST_F(DiskTest, PlacesAreWrittenInAnyOrder) {
  for (FileSystem *files : {&FileSystem::disk(), &FileSystem::uncachedDisk()}) {
    const std::string text = textOf(4 * kMiB + 10);
    const auto bytes = std::as_bytes(std::span(text));
    std::unique_ptr<WritableFile> file;
    ASSERT_EQ(files->make(folder.file("a"), nullptr, file), 0);
    const size_t half = 2 * kMiB + 777;
    ASSERT_EQ(file->write(half, bytes.subspan(half)), 0);
    ASSERT_EQ(file->write(0, bytes.first(half)), 0);
    ASSERT_EQ(file->sync(), 0);
    ASSERT_EQ(file->write(5, std::as_bytes(std::span("xyz", 3))), 0);
    ASSERT_EQ(file->sync(), 0);
    std::string expected = text;
    expected.replace(5, 3, "xyz");
    EXPECT_TRUE(folder.read("a") == expected);
    ASSERT_EQ(files->remove(folder.file("a")), 0);
  }
}

TEST_F(DiskTest, LargeFilesPassByThePageCacheSmallOnesDoNot) {
  const std::string large = textOf(3 * kMiB + 100), small = textOf(1000);
  ASSERT_EQ(writeFile(FileSystem::disk(), folder.file("a"), large, {kMiB}), 0);
  EXPECT_EQ(disk.directWrites, 0);
  FileSystem &files = FileSystem::uncachedDisk();
  ASSERT_EQ(writeFile(files, folder.file("b"), small, {10}), 0);
  EXPECT_EQ(disk.directWrites, 0);
  if (!takesDirectWrites())
    GTEST_SKIP() << "the file system of '" << folder.path()
                 << "' has no O_DIRECT";
  disk = {};
  ASSERT_EQ(writeFile(files, folder.file("c"), large, {kMiB}), 0);
  EXPECT_EQ(disk.directWrites, 3);
  EXPECT_EQ(disk.plainWrites, 1);
  disk = {};
  ASSERT_EQ(writeFile(files, folder.file("d"), large, {kMiB + 1000}), 0);
  EXPECT_EQ(disk.directWrites, 1); // The next ones begin in a block.
}

/// By the file system, or for memory that a disk cannot read itself.
TEST_F(DiskTest, WhereItIsRefusedThePageCacheIsUsed) {
  const std::string text = textOf(3 * kMiB + 100);
  for (const int refusal : {EINVAL, EFAULT}) {
    disk = {.directWrite = refusal};
    const std::string path = folder.file("a" + std::to_string(refusal));
    ASSERT_EQ(writeFile(FileSystem::uncachedDisk(), path, text, {kMiB}), 0);
    EXPECT_EQ(disk.directWrites, 1);
    EXPECT_TRUE(folder.read("a" + std::to_string(refusal)) == text);
  }
}

TEST_F(DiskTest, AFileIsReadAsItWasWhenItWasOpened) {
  for (FileSystem *files : {&FileSystem::disk(), &FileSystem::uncachedDisk()}) {
    const std::string text = textOf(kMiB + 10);
    folder.write("a", text);
    auto file = files->open(folder.file("a"));
    ASSERT_TRUE(file.ok());
    folder.write("b", "another");
    ASSERT_EQ(files->rename(folder.file("b"), folder.file("a")), 0);
    EXPECT_EQ((*file)->size(), text.size());
    const auto room = aligned(kMiB);
    ASSERT_EQ((*file)->read(0, room), 0);
    EXPECT_EQ(std::memcmp(room.data(), text.data(), kMiB), 0);
    EXPECT_EQ((*file)->read(text.size() - 1, room.first(2)), EIO);
    EXPECT_EQ(readFile(*files, folder.file("a"), kMiB), "another");
  }
}

TEST_F(DiskTest, WhatIsNoFileIsNotOpened) {
  const auto opened = FileSystem::uncachedDisk().open(folder.path());
  EXPECT_EQ(opened.status().message(),
            "cannot read '" + folder.path() + "': it is not a regular file");
}

TEST_F(DiskTest, AnyOtherErrorIsOne) {
  const std::string text = textOf(3 * kMiB);
  FileSystem &files = FileSystem::uncachedDisk();
  ASSERT_EQ(writeFile(files, folder.file("a"), text, {kMiB}), 0);
  if (!takesDirectWrites())
    GTEST_SKIP() << "the file system of '" << folder.path()
                 << "' has no O_DIRECT";
  disk.directWrite = ENOSPC;
  EXPECT_EQ(writeFile(files, folder.file("b"), text, {kMiB}), ENOSPC);
}

TEST_F(DiskTest, AFolderWhoseSyncFailsIsAnErrorUnlessThereIsNone) {
  const std::string path = folder.file("a");
  disk.folderSync = EIO;
  const Status status = smp::writeFile(path, "text");
  EXPECT_EQ(status.code(), StatusCode::Unavailable);
  EXPECT_EQ(status.message(),
            "cannot write '" + path + "': Input/output error");
  for (int none : {EINVAL, ENOTSUP, ENOSYS, EROFS}) {
    disk.folderSync = none;
    EXPECT_TRUE(smp::writeFile(path, "text").ok()) << none;
  }
}

TEST_F(DiskTest, AFolderThatMayBeWrittenAndNotReadIsWritten) {
  const std::string inside = folder.file("drop");
  ASSERT_EQ(mkdir(inside.c_str(), 0), 0);
  ASSERT_EQ(chmod(inside.c_str(), 0333), 0);
  ASSERT_EQ(chmod(folder.path().c_str(), 0755), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) { // Who may do everything may read it too.
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setresuid(kNobody, kNobody, kNobody) != 0)
      _exit(2);
    if (open(inside.c_str(), O_RDONLY | O_DIRECTORY) >= 0)
      _exit(3);
    _exit(smp::writeFile(inside + "/a", "text").ok() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_EQ(folder.read("drop/a"), "text");
  ASSERT_EQ(chmod(inside.c_str(), 0755), 0);
}

TEST_F(DiskTest, NamesAreListedAndErrorsAreNumbers) {
  FileSystem &files = FileSystem::disk();
  folder.write("a", "12345");
  ASSERT_EQ(files.makeFolder(folder.file("b")), 0);
  EXPECT_EQ(files.makeFolder(folder.file("b")), EEXIST);
  EXPECT_EQ(files.makeFolder(folder.file("none/b")), ENOENT);
  std::vector<std::string> names;
  EXPECT_EQ(files.list(folder.path(), names), 0);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(files.list(folder.file("none"), names), ENOENT);
  uint64_t size = 0;
  EXPECT_EQ(files.size(folder.file("a"), size), 0);
  EXPECT_EQ(size, 5u);
  EXPECT_EQ(files.size(folder.file("none"), size), ENOENT);
  std::unique_ptr<WritableFile> file;
  EXPECT_EQ(files.make(folder.file("a"), nullptr, file), EEXIST);
  EXPECT_EQ(files.rename(folder.file("none"), folder.file("c")), ENOENT);
  EXPECT_EQ(files.remove(folder.file("none")), ENOENT);
  EXPECT_EQ(files.syncFolder(folder.file("none")), ENOENT);
  EXPECT_EQ(files.syncFolder(folder.file("a")), ENOTDIR);
  EXPECT_EQ(files.read(folder.file("b")).status().message(),
            "cannot read '" + folder.file("b") + "': it is not a regular file");
}

TEST(ParentFolder, OfEveryPath) {
  for (const auto &[path, parent] : {std::pair("a/b", "a"),
                                     {"a/b/", "a"},
                                     {"a/b//c", "a/b"},
                                     {"/b", "/"},
                                     {"/", "/"},
                                     {"b", "."},
                                     {"b/", "."},
                                     {"//b", "/"}})
    EXPECT_EQ(parentFolder(path), parent) << path;
}

} // namespace
