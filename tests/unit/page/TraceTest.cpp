// SPDX-License-Identifier: Apache-2.0
#include "SampleProgram.h"
#include "smp/tools/Page.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

std::string event(const std::string &name, unsigned microbatch, double start,
                  double length, const char *kind = "stage") {
  return R"({"name":")" + name + R"(","cat":")" + kind + R"(","ph":"X","ts":)" +
         std::to_string(start) + R"(,"dur":)" + std::to_string(length) +
         R"(,"args":{"microbatch":)" + std::to_string(microbatch) + "}}";
}

std::string trace(const std::vector<std::string> &events) {
  std::string text = R"({"traceEvents":[{"name":"thread_name","ph":"M"})";
  for (const std::string &one : events)
    text += "," + one;
  return text + "]}";
}

TEST(Trace, TheLastWholeStepIsTaken) {
  SampleProgram sample;
  const Entry &entry = sample.program.entries[0];
  auto nameOf = [&](size_t stage) {
    return sample.program.stages[entry.stages[stage]].name;
  };
  std::vector<std::string> events;
  for (unsigned step = 0; step < 3; ++step)
    for (unsigned microbatch = 0; microbatch < 2; ++microbatch)
      for (unsigned stage = 0; stage < 2; ++stage)
        if (step < 2 || microbatch == 0) // The third was cut short.
          events.push_back(event(nameOf(stage), microbatch,
                                 1000 * step + 10 * microbatch + stage, 5));
  events.push_back(event(nameOf(0), 0, 0, 1, "kernel"));
  events.push_back(event("of another program", 0, 0, 1));
  auto steps = readTrace(sample.program, trace(events));
  ASSERT_TRUE(steps.ok()) << steps.status().message();
  ASSERT_EQ(steps->size(), sample.program.entries.size());
  const std::vector<MeasuredStep::Span> &spans = (*steps)[0].spans;
  ASSERT_EQ(spans.size(), 4u);
  EXPECT_EQ(spans[0].start, 0);
  EXPECT_NEAR(spans[0].end, 5e-6, 1e-12);
  EXPECT_NEAR(spans[3].start, 11e-6, 1e-12);
  EXPECT_EQ(spans[3].stage, 1u);
  EXPECT_EQ(spans[3].microbatch, 1u);
  EXPECT_TRUE((*steps)[1].spans.empty());
}

TEST(Trace, WhatIsNoneIsRefused) {
  SampleProgram sample;
  for (const char *text : {"", "{", "[]", "{}", R"({"traceEvents":3})"}) {
    auto steps = readTrace(sample.program, text);
    ASSERT_FALSE(steps.ok()) << text;
    EXPECT_EQ(steps.status().message(),
              "no trace: it must be a JSON object with a list \"traceEvents\", "
              "as smp-run --trace writes it");
  }
  const std::string name = sample.program.stages[1].name;
  for (const std::string &text :
       {trace({}), trace({event("other", 0, 0, 1)}), trace({"3", "null"}),
        trace({R"({"cat":"stage"})", R"({"cat":["stage"],"name":3})"}),
        trace({event(name, 0, 0, 1, "kernel")})}) {
    auto steps = readTrace(sample.program, text);
    ASSERT_FALSE(steps.ok()) << text;
    EXPECT_EQ(steps.status().message(),
              "the trace has no stage of the program: make it with smp-run "
              "--trace of this very program");
  }
}

TEST(Trace, NumbersThatCannotBeDrawnAreRefused) {
  SampleProgram sample;
  const std::string name = sample.program.stages[1].name;
  auto stage = [&](const std::string &rest) {
    return R"({"cat":"stage","name":")" + name + "\"" + rest + "}";
  };
  for (const std::string &wrong :
       {event(name, 65536, 0, 1), event(name, 4294967295u, 0, 1),
        event(name, 0, -1, 1), event(name, 0, 0, -1), event(name, 0, 1e300, 1),
        stage(""), stage(R"(,"ts":0,"dur":1,"args":3)"),
        stage(R"(,"ts":0,"dur":1,"args":{"microbatch":-1})"),
        stage(R"(,"ts":0,"dur":1,"args":{"microbatch":4294967296})"),
        stage(R"(,"ts":"0","dur":1,"args":{"microbatch":1})")}) {
    auto steps = readTrace(
        sample.program,
        trace({event("other", 0, 0, 1), event(name, 1, 0, 1), wrong}));
    ASSERT_FALSE(steps.ok()) << wrong;
    EXPECT_EQ(steps.status().message(),
              "traceEvents[3], of stage '" + name +
                  "', needs \"ts\" and \"dur\", microseconds from 0 on, and "
                  "\"args\": {\"microbatch\": 0 to 65535}");
  }
}

TEST(Trace, DeepNestingIsRead) {
  SampleProgram sample;
  const std::string deep(1000000, '[');
  EXPECT_FALSE(readTrace(sample.program, R"({"traceEvents":)" + deep +
                                             std::string(deep.size(), ']') +
                                             "}")
                   .ok());
}

} // namespace
