// SPDX-License-Identifier: Apache-2.0
// What tests of written files look at.

#ifndef SMP_TESTS_UNIT_BASE_FILEHELPERS_H
#define SMP_TESTS_UNIT_BASE_FILEHELPERS_H

#include "TemporaryFolder.h"
#include <climits>
#include <gtest/gtest.h>
#include <span>
#include <sys/stat.h>
#include <sys/wait.h>

namespace smp::test {

inline std::span<const std::byte> bytesOf(std::string_view text) {
  return std::as_bytes(std::span(text));
}

/// Of the thing itself, be it a link.
inline struct stat statusOf(const std::string &path) {
  struct stat info = {};
  EXPECT_EQ(lstat(path.c_str(), &info), 0) << path;
  return info;
}

inline mode_t modeOf(const std::string &path) {
  return statusOf(path).st_mode & 07777;
}

enum Outcome { kAsExpected = 0, kWrong = 1, kCannotTry = 2 };

/// Runs `body` in a child process and returns its exit code.
template <typename Body>
int inChild(Body body) {
  const pid_t child = fork();
  if (child == 0)
    _exit(body());
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_BASE_FILEHELPERS_H
