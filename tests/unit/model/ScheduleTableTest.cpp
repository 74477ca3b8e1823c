// SPDX-License-Identifier: Apache-2.0
#include "smp/model/ScheduleTable.h"
#include "TrainingPipelines.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

constexpr const char *kHead = "entry,partition,runs\n";

/// Two partitions: forward stages 0 and 1, backward 2 and 3, updates 4 and 5.
struct TwoLayers : testing::Test {
  PipelineShape pipeline = trainingChain(2);

  /// What becomes of a text, for 2 microbatches.
  std::string verdict(const std::string &lines) const {
    const Expected<ScheduleTable> table = ScheduleTable::read(kHead + lines);
    if (!table.ok())
      return table.error();
    const Expected<Schedule> schedule = table->scheduleOf("train", pipeline, 2);
    return schedule.ok() ? "proved" : schedule.error();
  }
};

std::string textOf(const PipelineShape &pipeline, const Schedule &schedule) {
  ScheduleTable table;
  table.add("train", pipeline, schedule);
  return table.write();
}

} // namespace

TEST_F(TwoLayers, AScheduleIsWrittenAsItIsRead) {
  const Schedule schedule =
      interleavedSchedule(pipeline, {.microbatches = 2, .active = 2});
  const std::string text = textOf(pipeline, schedule);
  EXPECT_EQ(text, "entry,partition,runs\n"
                  "train,0,0F0,0F1,3B0,3B1,4U\n"
                  "train,1,1F0,2B0,1F1,2B1,5U\n");
  const Expected<ScheduleTable> table = ScheduleTable::read(text);
  ASSERT_TRUE(table.ok()) << table.error();
  EXPECT_EQ(table->write(), text);
  EXPECT_TRUE(table->has("train"));
  EXPECT_FALSE(table->has("eval"));
  const Expected<Schedule> again = table->scheduleOf("train", pipeline, 2);
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_EQ(again->actions, schedule.actions);
}

TEST_F(TwoLayers, TextsMayBeAsSpreadsheetsWriteThem) {
  EXPECT_EQ(verdict("train,1,,1F0,2B0,1F1,2B1,5U\r\n,,,\r\n"
                    "\" train\",0\n"),
            "no line is for partition 0, which does not run stage 0, "
            "microbatch 0");
  EXPECT_EQ(verdict("\"train\", 1 ,,1F0,2B0, \"1F1\" ,2B1,5U\r\n,,,\r\n\r\n"
                    "train,0,0F0,0F1,,3B0,3B1,,4U,,,"),
            "proved");
  EXPECT_TRUE(ScheduleTable::read("\xEF\xBB\xBF" + std::string(kHead)).ok());
}

TEST_F(TwoLayers, NamesOfEntriesKeepCommasAndQuotes) {
  const std::string name = "the \"first\", ever\nand last ";
  ScheduleTable table;
  table.add(name, pipeline, interleavedSchedule(pipeline, {.microbatches = 2}));
  const Expected<ScheduleTable> again = ScheduleTable::read(table.write());
  ASSERT_TRUE(again.ok()) << again.error();
  EXPECT_EQ(again->rows()[0].entry, name);
  EXPECT_EQ(again->rows()[1].line, 4); // A line of the text, not of the table.
  EXPECT_EQ(again->write(), table.write());
}

TEST_F(TwoLayers, WhatIsNoTableIsRefused) {
  EXPECT_EQ(ScheduleTable::read("").error(),
            "the first line of a schedule is entry,partition,runs");
  EXPECT_EQ(ScheduleTable::read("entry;partition;runs\n").error(),
            "the first line of a schedule is entry,partition,runs");
  EXPECT_EQ(verdict("train\n"), "line 2 has an entry only; write its partition "
                                "and runs after it");
  EXPECT_EQ(verdict("train,one,0F0\n"),
            "line 2, column 2 is 'one'; write the number of a partition");
  EXPECT_EQ(verdict("train,0,0F0\ntrain,1,1F0\ntrain,0,0F1\n"),
            "line 4 is of entry 'train', partition 0, as a line before is; "
            "write all of its runs in one");
  EXPECT_EQ(verdict("train,0,\"0F0\n"), "line 2, column 3: a quote is not "
                                        "closed; write \" at the end of the "
                                        "field");
  EXPECT_EQ(verdict("train,0,\"0F0\" 1\n"),
            "line 2, column 3: something follows the quotes of 0F0; write a "
            "quote inside them twice");
  for (const char *run : {"0", "F0", "0F", "0X1", "0F1x", "-1F0", "4U0",
                          "4294967296F0", "0F4294967296", "0f0"})
    EXPECT_EQ(verdict("train,0,0F0,," + std::string(run) + "\n"),
              "line 2, column 5 is '" + std::string(run) +
                  "'; write a stage, F, B, W or U, and a microbatch, as 0F1, "
                  "or as 4U of an update");
}

TEST_F(TwoLayers, RunsMustBeOfThePipeline) {
  EXPECT_EQ(verdict("train,2,0F0\n"),
            "line 2, column 2 is partition 2; the last one is 1");
  EXPECT_EQ(verdict("train,0,0F0,6F0\n"),
            "line 2, column 4 (6F0) is of stage 6; the last one is 5");
  EXPECT_EQ(verdict("train,0,0F0,3F0\n"), "line 2, column 4 (3F0): stage 3 is "
                                          "a backward one; write 3B0");
  EXPECT_EQ(verdict("train,0,0F0,4B0\n"), "line 2, column 4 (4B0): stage 4 is "
                                          "an update one; write 4U");
  EXPECT_EQ(verdict("train,0,0F0,1F0\n"),
            "line 2, column 4 (1F0): stage 1 is on partition 1");
  EXPECT_EQ(verdict("train,0,0F0,0F2\n"),
            "line 2, column 4 (0F2): there are 2 microbatches");
}

TEST_F(TwoLayers, EachRunIsThereOnceAndInOrder) {
  const std::string second = "train,1,1F0,2B0,1F1,2B1,5U\n";
  EXPECT_EQ(verdict(second + "train,0,0F0,0F1,3B0,0F1,3B1,4U\n"),
            "line 3, column 6 (0F1): it was done before");
  EXPECT_EQ(verdict(second + "train,0,0F1,0F0,3B0,3B1,4U\n"),
            "line 3, column 3 (0F1): stage 0 must run microbatch 0 next; "
            "gradients are summed in order");
  EXPECT_EQ(verdict(second + "train,0,0F0,0F1,3B0,3B1\n"),
            "line 3, partition 0, does not run stage 4, microbatch 0");
  EXPECT_EQ(verdict(second + "train,0,0F0,0F1,3B0\n"),
            "line 3, partition 0, does not run stage 3, microbatch 1");
  EXPECT_EQ(verdict(second + "train,0,0F0,0F1,3B0,4U,3B1\n"),
            "line 3, column 6 (4U): an update stage runs after every "
            "microbatch, and stage 3 has not run microbatch 1 yet");
}

TEST_F(TwoLayers, ADeadlockNamesWhoWaits) {
  EXPECT_EQ(verdict("train,0,0F0,3B0,0F1,3B1,4U\ntrain,1,1F0,1F1,2B0,2B1,5U\n"),
            "deadlock: line 2, column 4 (3B0) waits for a tensor of channel 3 "
            "from stage 2 on partition 1; line 3, column 4 (1F1) waits for a "
            "tensor of channel 0 from stage 0 on partition 0");
  EXPECT_EQ(verdict("train,0,3B0,0F0,0F1,3B1,4U\ntrain,1,1F0,2B0,1F1,2B1,5U\n")
                .substr(0, 45),
            "deadlock: line 2, column 3 (3B0) waits for a ");
}

/// Every schedule of any pipeline survives the way through a text.
TEST(ScheduleTable, KeepsRandomSchedules) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  TrainingPipelines random(seed);
  for (int i = 0; i < 500; ++i) {
    const PipelineShape pipeline = random.next();
    const ScheduleOptions options = random.options(pipeline);
    const Schedule schedule = random.below(2)
                                  ? zeroBubbleSchedule(pipeline, options)
                                  : interleavedSchedule(pipeline, options);
    const Expected<ScheduleTable> table =
        ScheduleTable::read(textOf(pipeline, schedule));
    ASSERT_TRUE(table.ok()) << table.error();
    const Expected<Schedule> again =
        table->scheduleOf("train", pipeline, options.microbatches);
    ASSERT_TRUE(again.ok()) << again.error();
    ASSERT_EQ(again->actions, schedule.actions);
  }
}

/// A table with two runs of a line changed is refused, or proved by the
/// verifier too.
TEST(ScheduleTable, ChangedTablesAreRefusedOrProved) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  TrainingPipelines random(seed);
  int proved = 0, refused = 0;
  for (int i = 0; i < 2000; ++i) {
    PipelineShape pipeline = random.next();
    const ScheduleOptions options = random.options(pipeline);
    Schedule schedule = interleavedSchedule(pipeline, options);
    std::vector<Action> runs;
    for (const Action &action : schedule.actions[0])
      if (action.kind == ActionKind::Run)
        runs.push_back(action);
    if (runs.size() < 2)
      continue;
    std::swap(runs[random.below(uint32_t(runs.size()))],
              runs[random.below(uint32_t(runs.size()))]);
    schedule.actions[0] = runs; // All that a table has of them.
    const Expected<Schedule> given =
        ScheduleTable::read(textOf(pipeline, schedule))
            .take()
            .scheduleOf("train", pipeline, options.microbatches);
    ++(given.ok() ? proved : refused);
    if (!given.ok())
      continue;
    setDepths(pipeline, channelDepths(pipeline, *given, options.stageCosts,
                                      options.channelCosts));
    ASSERT_EQ(verifySchedule(pipeline, *given), std::nullopt) << "case " << i;
  }
  EXPECT_GT(proved, 100);
  EXPECT_GT(refused, 100);
}
