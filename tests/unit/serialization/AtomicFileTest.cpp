// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/AtomicFile.h"
#include "SampleProgram.h"
#include "TemporaryFolder.h"
#include "smp/serialization/ProgramFile.h"
#include <csignal>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace smp;

static std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

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
  StatusOr<AtomicFile> file = AtomicFile::create(folder.file("a"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(file->commit().message(),
            "cannot write '" + folder.file("a") + "': Is a directory");
}

/// Runs `body` in a child process and returns its exit code.
template <typename Body>
static int inChild(Body body) {
  pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

enum Outcome { kAsExpected = 0, kWrong = 1, kCannotTry = 2 };

/// Writing the sample to `path` must fail for `reason` and leave nothing.
static int expectFull(const std::string &path, const char *reason) {
  SampleProgram sample;
  Status status = writeProgram(sample.program, path);
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
    return expectFull(folder.file("p.smp"), "File too large");
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
    return expectFull(folder.file("p.smp"), "No space left on device");
  });
  if (outcome == kCannotTry)
    GTEST_SKIP() << "a small disk cannot be mounted here";
  EXPECT_EQ(outcome, kAsExpected);
}
