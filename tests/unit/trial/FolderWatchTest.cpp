// SPDX-License-Identifier: Apache-2.0
#include "FolderWatch.h"
#include "TemporaryFolder.h"
#include "smp/base/Thread.h"
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace smp;

static constexpr std::chrono::milliseconds kNow{0};
static constexpr std::chrono::minutes kLong{1};

static void write(const std::string &path) { std::ofstream(path) << "text"; }

TEST(FolderWatch, TellsOfWhatCameSinceTheLastTime) {
  const TemporaryFolder folder;
  FolderWatch watch;
  watch.add(folder.path());
  EXPECT_FALSE(watch.wait(kNow));
  write(folder.file("a"));
  EXPECT_TRUE(watch.wait(kNow));
  EXPECT_FALSE(watch.wait(kNow));
  // As an index file comes: under another name, then renamed.
  std::filesystem::rename(folder.file("a"), folder.file("b"));
  EXPECT_TRUE(watch.wait(kNow));
  std::filesystem::create_directory(folder.file("inner"));
  EXPECT_TRUE(watch.wait(kNow));
  write(folder.file("inner/a"));
  EXPECT_FALSE(watch.wait(kNow)) << "nobody watches the inner folder yet";
  watch.add(folder.file("inner"));
  write(folder.file("inner/b"));
  EXPECT_TRUE(watch.wait(kNow));
}

TEST(FolderWatch, WakesWhoWaits) {
  const TemporaryFolder folder;
  FolderWatch watch;
  watch.add(folder.path());
  const auto writer = Thread::start("writer", [&] { write(folder.file("a")); });
  ASSERT_TRUE(writer.ok());
  EXPECT_TRUE(watch.wait(kLong));
}

TEST(FolderWatch, LooksNowAndThenWhereNothingIsWatched) {
  const TemporaryFolder folder;
  FolderWatch watch;
  watch.add(folder.file("nope"));
  EXPECT_FALSE(watch.wait(kLong));
}
