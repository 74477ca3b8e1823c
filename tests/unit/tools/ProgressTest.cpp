// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/Progress.h"
#include "Terminal.h"
#include <gtest/gtest.h>
#include <unistd.h>

using namespace smp;

TEST(Progress, LinesFitTheTerminal) {
  EXPECT_EQ(formatProgress(1, 2, "conv1", 80),
            "[############............]  50% conv1");
  EXPECT_EQ(formatProgress(9, 2, "x", 80), "[########################] 100% x");
  EXPECT_EQ(formatProgress(5, 0, "reading", 80), "reading");
  EXPECT_EQ(formatProgress(1, 2, "conv1", 10).size(), 10u);
}

/// Tells a Progress of three steps.
static void drive(std::FILE *file, std::chrono::milliseconds interval) {
  Progress progress(file, interval);
  for (uint64_t i = 0; i < 3; ++i)
    progress.update(i, 3, "working");
}

TEST(Progress, IsSilentInAPipe) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  std::FILE *file = fdopen(ends[1], "w");
  drive(file, std::chrono::milliseconds(0));
  std::fclose(file);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

/// What drive() draws on a terminal.
static StatusOr<std::string> drawn(std::chrono::milliseconds interval) {
  return test::drawnOnTerminal([&](std::FILE *file) { drive(file, interval); });
}

TEST(Progress, DrawsOnATerminalAndCleansUp) {
  const auto text = drawn(std::chrono::milliseconds(0));
  if (!text.ok())
    GTEST_SKIP() << "needs a pseudo terminal: " << text.status().message();
  EXPECT_NE(text->find("  33% working"), std::string::npos) << *text;
  EXPECT_EQ(text->substr(text->size() - 4), "\r\x1b[K");
}

TEST(Progress, WorkThatIsOverAtOnceDrawsNothing) {
  const auto text = drawn(std::chrono::minutes(1));
  if (!text.ok())
    GTEST_SKIP() << "needs a pseudo terminal: " << text.status().message();
  EXPECT_EQ(*text, "");
}
