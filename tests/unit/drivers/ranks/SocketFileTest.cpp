// SPDX-License-Identifier: Apache-2.0
#include "SocketFile.h"
#include "Listener.h"
#include "TemporaryFolder.h"
#include <barrier>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>

using namespace smp;

namespace {

struct SocketFileTest : testing::Test {
  TemporaryFolder folder;
  const std::string path = folder.file("s");

  StatusOr<Listener> open() { return Listener::open(RawAddress::ofPath(path)); }
  mode_t mode() const {
    struct stat found = {};
    EXPECT_EQ(lstat(path.c_str(), &found), 0);
    return found.st_mode;
  }
  bool isThere() const {
    struct stat found = {};
    return lstat(path.c_str(), &found) == 0;
  }
  /// As a process leaves it that was killed.
  void leaveSocket() {
    auto listener = open();
    ASSERT_TRUE(listener.ok()) << listener.status().message();
    ASSERT_EQ(link(path.c_str(), folder.file("kept").c_str()), 0);
    listener = Listener();
    ASSERT_EQ(rename(folder.file("kept").c_str(), path.c_str()), 0);
    ASSERT_TRUE(S_ISSOCK(mode()));
  }
};

TEST_F(SocketFileTest, IsPrivateWhateverTheMask) {
  for (mode_t mask : {0, 022, 0177, 0777}) {
    const mode_t before = umask(mask);
    auto listener = open();
    umask(before);
    ASSERT_TRUE(listener.ok()) << listener.status().message();
    EXPECT_EQ(mode(), mode_t(S_IFSOCK | 0600)) << mask;
  }
  EXPECT_FALSE(isThere());
}

/// What is at the path listens there from the first: it is never taken for one
/// that nobody serves.
TEST_F(SocketFileTest, OfTwoAtOnceOneListensAndOneIsRefused) {
  for (int round = 0; round < 1000; ++round) {
    std::vector<StatusOr<Listener>> made;
    for (int i = 0; i < 2; ++i)
      made.emplace_back(unavailable("not yet"));
    std::barrier together(2);
    std::vector<std::thread> threads;
    for (auto &one : made)
      threads.emplace_back([&] {
        together.arrive_and_wait();
        one = open();
      });
    for (std::thread &thread : threads)
      thread.join();
    ASSERT_NE(made[0].ok(), made[1].ok()) << round;
    const Status refused = made[made[0].ok() ? 1 : 0].status();
    ASSERT_EQ(refused.message(), "somebody listens at unix:" + path +
                                     " already; give another path");
    ASSERT_EQ(folder.names(), std::vector<std::string>{"s"});
    ASSERT_EQ(mode(), mode_t(S_IFSOCK | 0600));
  }
}

/// The longest path that an address may have, of the highest rank.
TEST_F(SocketFileTest, PathsMayBeAsLongAsAddresses) {
  std::string at = folder.path() + "/";
  at += std::string(97 - at.size(), 'd');
  ASSERT_EQ(mkdir(at.c_str(), 0700), 0);
  for (const char *name : {"/s", "/s.65535"}) {
    auto listener = Listener::open(RawAddress::ofPath(at + name));
    EXPECT_TRUE(listener.ok()) << listener.status().message();
  }
}

TEST_F(SocketFileTest, FilesOfOthersAreLeftAsTheyAre) {
  auto refusal = [&] {
    auto listener = open();
    EXPECT_FALSE(listener.ok());
    return listener.ok() ? "" : listener.status().message();
  };
  folder.write("s", "precious");
  EXPECT_EQ(refusal(), "'" + path +
                           "' is a regular file and no socket; it is "
                           "left as it is: give another path, or remove it");
  EXPECT_EQ(folder.read("s"), "precious");
  folder.remove("s");

  folder.write("far", "precious");
  ASSERT_EQ(symlink("far", path.c_str()), 0);
  EXPECT_NE(refusal().find("is a symbolic link"), std::string::npos);
  EXPECT_EQ(folder.read("far"), "precious");
  EXPECT_TRUE(S_ISLNK(mode()));
  folder.remove("s");

  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(refusal().find("is a pipe"), std::string::npos);
  EXPECT_TRUE(S_ISFIFO(mode()));
  folder.remove("s");

  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  EXPECT_NE(refusal().find("is a folder"), std::string::npos);
  EXPECT_TRUE(S_ISDIR(mode()));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"far", "s"}));
}

TEST_F(SocketFileTest, ASocketThatNobodyServesIsReplaced) {
  leaveSocket();
  auto listener = open();
  ASSERT_TRUE(listener.ok()) << listener.status().message();
  EXPECT_EQ(folder.names(), std::vector<std::string>{"s"});
}

TEST_F(SocketFileTest, ASocketThatIsServedIsLeft) {
  auto first = open();
  ASSERT_TRUE(first.ok());
  auto second = open();
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.status().message(),
            "somebody listens at unix:" + path + " already; give another path");
  EXPECT_TRUE(S_ISSOCK(mode()));
}

TEST_F(SocketFileTest, WhatReplacedItIsNotRemoved) {
  {
    auto listener = open();
    ASSERT_TRUE(listener.ok());
    folder.remove("s");
    folder.write("s", "of somebody else");
  }
  EXPECT_EQ(folder.read("s"), "of somebody else");
}

TEST_F(SocketFileTest, TheOtherEndIsOfTheSameUser) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  Descriptor one(ends[0]), other(ends[1]);
  EXPECT_TRUE(checkUserOf(one.get()).ok());
  EXPECT_EQ(describeProcessOf(other.get()),
            "process " + std::to_string(getpid()) + " of user " +
                std::to_string(geteuid()));
}

} // namespace
