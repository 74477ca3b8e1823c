// SPDX-License-Identifier: Apache-2.0
#include "TemporaryFolder.h"
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/wait.h>

namespace {

TEST(Exit, WhatEndsWithTheProgramEndsAsItDoesBefore) {
  const smp::TemporaryFolder folder;
  const std::string command = "'" SMP_EXIT_PROGRAM "' '" + folder.path() + "'";
  const int status = std::system(command.c_str());
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  for (const char *name :
       {"first-1.json", "second-1.json", "run/training_job_end.ts"})
    EXPECT_TRUE(std::filesystem::exists(folder.file(name))) << name;
  for (const char *name : {"first.lock", "second.lock", "run/claim.smd"})
    EXPECT_FALSE(std::filesystem::exists(folder.file(name))) << name;
}

} // namespace
