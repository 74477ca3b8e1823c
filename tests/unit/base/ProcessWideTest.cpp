// SPDX-License-Identifier: Apache-2.0
#include "smp/base/ProcessWide.h"
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace smp;

namespace {

using Made = StatusOr<std::shared_ptr<int>>;

Made makeOne() { return std::make_shared<int>(1); }
Made fail() { return unavailable("not now"); }

TEST(ProcessWide, AnObjectIsThereAsLongAsSomebodyHasIt) {
  ProcessWide<std::string, int> objects;
  auto first = objects.get("a", makeOne).take();
  EXPECT_EQ(objects.get("a", makeOne).take(), first);
  EXPECT_NE(objects.get("b", makeOne).take(), first);
  const std::weak_ptr<int> seen = first;
  first.reset();
  EXPECT_TRUE(seen.expired());
  EXPECT_EQ(objects.get("a", fail).status().message(), "not now");
  EXPECT_TRUE(objects.get("a", makeOne).ok());
}

TEST(ProcessWide, WhatIsForkedOffStartsWithNoneAndFindsTheLockFree) {
  ProcessWide<int, int> objects;
  const auto mine = objects.get(0, makeOne).take();
  std::atomic<bool> stops{false};
  std::thread busy([&] {
    while (!stops)
      (void)objects.get(1, makeOne);
  });
  int failures = 0;
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60); // Ends it where it hangs.
      _exit(objects.get(0, makeOne).take() == mine ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    failures += !WIFEXITED(status) || WEXITSTATUS(status) != 0;
  }
  stops = true;
  busy.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(objects.get(0, makeOne).take(), mine);
}

} // namespace
