// SPDX-License-Identifier: Apache-2.0
// Records of a template are those that are made whole.
#include "smp/serialization/EventTemplate.h"
#include "Seed.h"
#include <gtest/gtest.h>

using namespace smp;

using Bytes = std::vector<std::byte>;

static EventRecord recordOf(const EventStep &step, const double &value) {
  return {.name = "mode_step",
          .wallTime = step.wallTime,
          .step = step.step,
          .mode = step.mode,
          .modeStep = step.modeStep,
          .type = {DType::F64, {1}},
          .bytes = std::as_bytes(std::span(&value, 1))};
}

static Bytes whole(const EventRecord &record) {
  Bytes file;
  EXPECT_TRUE(appendEventRecord(record, file).ok());
  return file;
}

TEST(EventTemplate, MakesTheSameRecords) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937_64 random(seed);
  auto number = [&] { return random() >> (1 + random() % 63); };
  size_t fitting = 0;
  for (int i = 0; i < 20000; ++i) {
    auto any = [&] {
      return EventStep{double(number()), number(), Mode(1 + random() % 4),
                       number() % 1000};
    };
    const EventStep first = any(), second = any();
    const auto made = EventTemplate::of(recordOf(first, 1));
    ASSERT_TRUE(made.ok()) << made.status().message();
    EXPECT_TRUE(made->fits(first));
    const double value = double(number());
    const EventRecord record = recordOf(second, value);
    if (!made->fits(second))
      continue;
    ++fitting;
    Bytes file(3);
    made->append(second, record.bytes, file);
    ASSERT_EQ(Bytes(file.begin() + 3, file.end()), whole(record));
  }
  EXPECT_GT(fitting, 500u);
}

TEST(EventTemplate, FitsStepsOfAsManyDigits) {
  const auto made = EventTemplate::of(recordOf({1.5, 127, Mode::Eval, 99}, 1));
  ASSERT_TRUE(made.ok());
  EXPECT_TRUE(made->fits({.step = 0, .modeStep = 10}));
  EXPECT_FALSE(made->fits({.step = 128, .modeStep = 99}));
  EXPECT_FALSE(made->fits({.step = 127, .modeStep = 100}));
  EXPECT_FALSE(made->fits({.step = 127, .modeStep = 9}));
  EXPECT_FALSE(made->fits({.step = uint64_t(INT64_MAX) + 1, .modeStep = 99}));
}

TEST(EventTemplate, IsRefusedWhereARecordIs) {
  EventRecord record = recordOf({}, 1);
  record.name = "";
  EXPECT_EQ(EventTemplate::of(record).status().message(),
            "'': a record needs the name of its tensor");
  record = {.name = "texts", .texts = {"a"}};
  EXPECT_FALSE(EventTemplate::of(record).ok());
}
