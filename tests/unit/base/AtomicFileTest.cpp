// SPDX-License-Identifier: Apache-2.0
#include "smp/base/AtomicFile.h"
#include "FileHelpers.h"
#include <csignal>
#include <grp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

using namespace smp;
using namespace smp::test;

TEST(AtomicFile, AppearsAtCommit) {
  TemporaryFolder folder;
  StatusOr<AtomicFile> file = AtomicFile::create(folder.file("a"));
  ASSERT_TRUE(file.ok());
  ASSERT_TRUE(file->write(bytesOf("hello")).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  ASSERT_TRUE(file->commit().ok());
  EXPECT_EQ(folder.read("a"), "hello");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(AtomicFile, LeavesNothingWithoutCommit) {
  TemporaryFolder folder;
  folder.write("a", "old");
  {
    StatusOr<AtomicFile> file = AtomicFile::create(folder.file("a"));
    ASSERT_TRUE(file.ok());
    AtomicFile moved = file.take();
    ASSERT_TRUE(moved.write(bytesOf("new")).ok());
  }
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(AtomicFile, ReplacesWhatWasThere) {
  TemporaryFolder folder;
  folder.write("a", "a longer old text");
  StatusOr<AtomicFile> file = AtomicFile::create(folder.file("a"));
  ASSERT_TRUE(file.ok() && file->write(bytesOf("new")).ok() &&
              file->commit().ok());
  EXPECT_EQ(folder.read("a"), "new");
}

TEST(AtomicFile, AMissingFolderIsNamed) {
  TemporaryFolder folder;
  std::string path = folder.file("none/a");
  EXPECT_EQ(AtomicFile::create(path).status().message(),
            "cannot write '" + path + "': No such file or directory");
}

TEST(AtomicFile, AFolderInTheWayIsNamed) {
  TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("a"));
  EXPECT_EQ(AtomicFile::create(folder.file("a")).status().message(),
            "cannot write '" + folder.file("a") + "': Is a directory");
}

TEST(AtomicFile, AFolderThatVanishesIsNamed) {
  TemporaryFolder folder;
  const std::string path = folder.file("gone/a");
  std::filesystem::create_directory(folder.file("gone"));
  StatusOr<AtomicFile> file = AtomicFile::create(path);
  ASSERT_TRUE(file.ok() && file->write(bytesOf("new")).ok());
  std::filesystem::remove_all(folder.file("gone"));
  EXPECT_EQ(file->commit().message(),
            "cannot write '" + path + "': No such file or directory");
}

TEST(AtomicFile, NoPathIsNone) {
  EXPECT_EQ(writeFile("", "text").message(),
            "cannot write '': No such file or directory");
}

TEST(AtomicFile, TheLongestNameIsWritten) {
  TemporaryFolder folder;
  const std::string name(NAME_MAX, 'n');
  EXPECT_TRUE(writeFile(folder.file(name), "text").ok());
  EXPECT_EQ(folder.read(name), "text");
  EXPECT_EQ(folder.names(), std::vector<std::string>{name});
}

TEST(AtomicFile, FilesThatBelongTogetherAreAllThereOrNone) {
  TemporaryFolder folder;
  folder.write("whole", "old");
  auto write = [&](const std::string &whole, const std::string &part) {
    return writeFile(folder.file(whole), bytesOf("new"), [&] {
      return writeFile(folder.file(part), std::string_view("new"));
    });
  };
  EXPECT_FALSE(write("whole", "none/part").ok());
  EXPECT_EQ(folder.read("whole"), "old");
  EXPECT_FALSE(write("none/whole", "part").ok());
  EXPECT_EQ(folder.names(), std::vector<std::string>{"whole"});
  EXPECT_TRUE(write("whole", "part").ok());
  EXPECT_EQ(folder.read("whole"), "new");
  EXPECT_EQ(folder.read("part"), "new");
}

//===----------------------------------------------------------------------===//
// Modes and owners
//===----------------------------------------------------------------------===//

TEST(AtomicFile, ANewFileHasWhatTheUmaskLeaves) {
  TemporaryFolder folder;
  const mode_t before = umask(027);
  EXPECT_TRUE(writeFile(folder.file("a"), "new").ok());
  umask(before);
  EXPECT_EQ(modeOf(folder.file("a")), 0640u);
}

TEST(AtomicFile, AFileKeepsItsMode) {
  TemporaryFolder folder;
  for (mode_t mode : {0600u, 0640u, 0666u, 0755u}) {
    folder.write("a", "old");
    ASSERT_EQ(chmod(folder.file("a").c_str(), mode), 0);
    EXPECT_TRUE(writeFile(folder.file("a"), "new").ok());
    EXPECT_EQ(folder.read("a"), "new");
    EXPECT_EQ(modeOf(folder.file("a")), mode);
  }
}

TEST(AtomicFile, WhatIsWrittenIsNeverOpenToMore) {
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(chmod(folder.file("a").c_str(), 0600), 0);
  StatusOr<AtomicFile> file = AtomicFile::create(folder.file("a"));
  ASSERT_TRUE(file.ok());
  ASSERT_EQ(folder.names().size(), 2u);
  for (const std::string &name : folder.names())
    EXPECT_EQ(modeOf(folder.file(name)), 0600u) << name;
}

constexpr uid_t kNobody = 65534;

TEST(AtomicFile, AFileKeepsItsOwner) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, who alone gives files to other users";
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(chown(folder.file("a").c_str(), kNobody, kNobody), 0);
  ASSERT_EQ(chmod(folder.file("a").c_str(), 04750), 0);
  EXPECT_TRUE(writeFile(folder.file("a"), "new").ok());
  EXPECT_EQ(statusOf(folder.file("a")).st_uid, kNobody);
  EXPECT_EQ(statusOf(folder.file("a")).st_gid, kNobody);
  EXPECT_EQ(modeOf(folder.file("a")), 04750u);
}

/// What `body` says as a user of no rights, in a folder where all may write.
template <typename Body>
static bool asNobody(const TemporaryFolder &folder, Body body) {
  if (geteuid() != 0)
    return body();
  EXPECT_EQ(chmod(folder.path().c_str(), 0777), 0);
  return inChild([&] {
           const bool isNobody = setgroups(0, nullptr) == 0 &&
                                 setegid(kNobody) == 0 && seteuid(kNobody) == 0;
           return isNobody && body() ? kAsExpected : kWrong;
         }) == kAsExpected;
}

TEST(AtomicFile, TheGroupOfAnotherGetsNoMoreThanOthers) {
  if (geteuid() != 0)
    GTEST_SKIP() << "needs root, who alone gives files to other users";
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(chown(folder.file("a").c_str(), kNobody, /*group=*/4242), 0);
  ASSERT_EQ(chmod(folder.file("a").c_str(), 02764), 0);
  EXPECT_TRUE(asNobody(
      folder, [&] { return writeFile(folder.file("a"), "new").ok(); }));
  EXPECT_EQ(statusOf(folder.file("a")).st_uid, kNobody);
  EXPECT_EQ(statusOf(folder.file("a")).st_gid, kNobody);
  EXPECT_EQ(modeOf(folder.file("a")), 0744u);
}

TEST(AtomicFile, AFileThatMayNotBeWrittenIsNotReplaced) {
  TemporaryFolder folder;
  folder.write("a", "old");
  ASSERT_EQ(chmod(folder.file("a").c_str(), 0444), 0);
  EXPECT_TRUE(asNobody(folder, [&] {
    return writeFile(folder.file("a"), "new").message() ==
           "cannot write '" + folder.file("a") + "': Permission denied";
  }));
  EXPECT_EQ(folder.read("a"), "old");
  EXPECT_EQ(folder.names(), std::vector<std::string>{"a"});
}

TEST(AtomicFile, AFolderThatMayNotBeWrittenIsNamed) {
  TemporaryFolder folder;
  const std::string path = folder.file("closed/a");
  std::filesystem::create_directory(folder.file("closed"));
  folder.write("closed/a", "old");
  ASSERT_EQ(chmod(path.c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder.file("closed").c_str(), 0555), 0);
  EXPECT_TRUE(asNobody(folder, [&] {
    return writeFile(path, "new").message() ==
           "cannot write '" + path + "': Permission denied";
  }));
  EXPECT_EQ(folder.read("closed/a"), "old");
}

//===----------------------------------------------------------------------===//
// Full disks
//===----------------------------------------------------------------------===//

/// Writing to `path` must fail for `reason` and leave nothing.
static int expectFull(const std::string &path, const char *reason) {
  const Status status = writeFile(path, std::string(1 << 16, 'x'));
  bool said = status.code() == StatusCode::ResourceExhausted &&
              status.message() == "cannot write '" + path + "': " + reason;
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  return said && std::filesystem::is_empty(folder) ? kAsExpected : kWrong;
}

TEST(AtomicFile, AFileThatGrowsTooLargeIsRemoved) {
  TemporaryFolder folder;
  int outcome = inChild([&] {
    std::signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {8192, 8192};
    setrlimit(RLIMIT_FSIZE, &limit);
    return expectFull(folder.file("a"), "File too large");
  });
  EXPECT_EQ(outcome, kAsExpected);
}

TEST(AtomicFile, AFullDiskIsNamedAndLeavesNothing) {
  TemporaryFolder folder;
  int outcome = inChild([&] {
    // A disk of two pages, seen by this process alone.
    if (unshare(CLONE_NEWNS) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
      return int(kCannotTry);
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", folder.path().c_str(), "tmpfs", 0, "size=8k") != 0)
      return int(kCannotTry);
    return expectFull(folder.file("a"), "No space left on device");
  });
  if (outcome == kCannotTry)
    GTEST_SKIP() << "needs to mount a small disk: root, or user namespaces";
  EXPECT_EQ(outcome, kAsExpected);
}
