// SPDX-License-Identifier: Apache-2.0
// Callbacks of an application that throw do no harm to the Session.
#include "TestPrograms.h"
#include <future>
#include <stdexcept>

using namespace smp;
using namespace smp::test;

namespace {

class Callbacks : public testing::TestWithParam<uint32_t> {
protected:
  std::unique_ptr<SessionCore> open(const SessionOptions &options) {
    auto maker = makeChain(GetParam());
    auto opened = openSession(maker->finish().take(), options);
    EXPECT_TRUE(opened.ok()) << opened.status().message();
    return opened.ok() ? opened.take() : nullptr;
  }

  TestTensor x{{2, 8}};
  const InputTensor in = x.as("x");
};

TEST_P(Callbacks, WhatProfileThrowsIsSaidToTheLog) {
  std::vector<std::string> warnings;
  SessionOptions options;
  options.log = [&](LogLevel level, std::string_view line) {
    if (level == LogLevel::Warning)
      warnings.emplace_back(line);
  };
  bool isException = true;
  options.profile = [&](std::string_view, std::span<const ProfileSpan>) {
    if (isException)
      throw std::runtime_error("no room");
    throw 7;
  };
  auto session = open(options);
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->step("predict", {&in, 1}, {}).ok());
  isException = false;
  const auto output = session->step("predict", {&in, 1}, {});
  ASSERT_TRUE(output.ok()) << output.status().message();
  EXPECT_EQ(floatsOf(output->find("y")).size(), 16u);
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "the profile callback threw: no room; the Session goes on",
                "the profile callback threw; the Session goes on"}));
}

TEST_P(Callbacks, WhatTheLogThrowsIsLost) {
  int lines = 0;
  SessionOptions options;
  options.log = [&](LogLevel, std::string_view) {
    ++lines;
    throw std::runtime_error("no room");
  };
  options.profile = [](std::string_view, std::span<const ProfileSpan>) {
    throw 7;
  };
  auto session = open(options);
  ASSERT_TRUE(session);
  EXPECT_TRUE(session->step("predict", {&in, 1}, {}).ok());
  const int before = lines;
  EXPECT_TRUE(session->step("predict", {&in, 1}, {}).ok());
  EXPECT_EQ(lines, before + 1);
  std::promise<bool> ended;
  const auto done = [&](StatusOr<StepOutput> output) {
    ended.set_value(output.ok());
    throw 7;
  };
  ASSERT_TRUE(session->stepAsync("predict", {&in, 1}, {}, done).ok());
  EXPECT_TRUE(ended.get_future().get());
}

INSTANTIATE_TEST_SUITE_P(Partitions, Callbacks, testing::Values(1, 2));

} // namespace
