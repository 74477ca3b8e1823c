// SPDX-License-Identifier: Apache-2.0
#include "TensorboardFolder.h"
#include "TemporaryFolder.h"
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace smp;

namespace {

bool has(const std::string &file, const std::vector<std::byte> &bytes) {
  return file.find(std::string_view(
             reinterpret_cast<const char *>(bytes.data()), bytes.size())) !=
         file.npos;
}

std::vector<std::byte> startOf(uint64_t step) {
  std::vector<std::byte> bytes;
  appendSessionStart(1.5, step, bytes);
  return bytes;
}

std::vector<std::byte> scalarOf(uint64_t step, std::string_view tag) {
  std::vector<std::byte> bytes;
  appendScalarSummary(1.5, step, tag, 2, bytes);
  return bytes;
}

/// What the only file of the step has.
std::string fileOf(const TemporaryFolder &folder, uint64_t step) {
  for (const auto &each :
       std::filesystem::directory_iterator(folder.file("TRAIN")))
    if (std::string name = each.path().filename();
        name.starts_with("00000000000" + std::to_string(step)))
      return folder.read("TRAIN/" + name);
  return "";
}

/// What is given of a step after a checkpoint joins its file.
TEST(TensorboardFolder, AFileThatIsMadeAgainStillStartsTheSession) {
  const TemporaryFolder folder;
  auto opened =
      TensorboardFolder::open(folder.path(), false, FileSystem::disk());
  ASSERT_TRUE(opened.ok()) << opened.status().message();
  TensorboardEvents events;
  events.begin({.wallTime = 1.5, .step = 3, .mode = Mode::Train});
  events.addScalar("loss", 2);
  ASSERT_TRUE(opened->writeStep(events).ok());
  events.addScalar("accuracy", 2);
  ASSERT_TRUE(opened->writeStep(events).ok());
  const std::string first = fileOf(folder, 3);
  EXPECT_TRUE(has(first, startOf(3)));
  EXPECT_TRUE(has(first, scalarOf(3, "loss")));
  EXPECT_TRUE(has(first, scalarOf(3, "accuracy")));
  events.begin({.wallTime = 1.5, .step = 4, .mode = Mode::Train});
  events.addScalar("loss", 2);
  ASSERT_TRUE(opened->writeStep(events).ok());
  const std::string second = fileOf(folder, 4);
  EXPECT_FALSE(has(second, startOf(4)));
  EXPECT_TRUE(has(second, scalarOf(4, "loss")));
}

} // namespace
