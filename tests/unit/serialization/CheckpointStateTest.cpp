// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointState.h"
#include "Seed.h"
#include <gtest/gtest.h>

using namespace smp;

static std::string errorOf(std::string_view text) {
  return parseCheckpointState(text).status().message();
}

TEST(CheckpointState, IsProtobufText) {
  CheckpointState state;
  state.latest = "ckpt-3";
  state.all = {"ckpt-2", "ckpt-3"};
  state.timestamps = {1700000000.5, 1700000001};
  state.lastPreserved = 1699999999.25;
  EXPECT_EQ(formatCheckpointState(state),
            "model_checkpoint_path: \"ckpt-3\"\n"
            "all_model_checkpoint_paths: \"ckpt-2\"\n"
            "all_model_checkpoint_paths: \"ckpt-3\"\n"
            "all_model_checkpoint_timestamps: 1700000000.5\n"
            "all_model_checkpoint_timestamps: 1700000001.0\n"
            "last_preserved_timestamp: 1699999999.25\n");
}

TEST(CheckpointState, ComesBackWhateverTheNames) {
  for (const char *name :
       {"ckpt-1", "a b", "\"quoted\"", "back\\slash", "it's", "\xc3\xa4-7"}) {
    CheckpointState state;
    state.latest = name;
    state.all = {"other", name};
    state.timestamps = {1.25, 0.1};
    state.lastPreserved = 1e300;
    auto read = parseCheckpointState(formatCheckpointState(state));
    ASSERT_TRUE(read.ok()) << read.status().message();
    EXPECT_EQ(read->latest, name);
    EXPECT_EQ(read->all, state.all);
    EXPECT_EQ(read->timestamps, state.timestamps);
    EXPECT_EQ(read->lastPreserved, state.lastPreserved);
  }
}

TEST(CheckpointState, ReadsWhatOthersWrite) {
  auto read = parseCheckpointState(
      "# by hand\n model_checkpoint_path : 'ckpt-\\061' \"2\";"
      "all_model_checkpoint_paths:\"\\x63kpt-12\"\r\n\n");
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->latest, "ckpt-12");
  EXPECT_EQ(read->all, std::vector<std::string>{"ckpt-12"});
  EXPECT_TRUE(read->timestamps.empty());
}

TEST(CheckpointState, ErrorsNameTheLine) {
  const std::string latest = "model_checkpoint_path: \"a\"\n";
  EXPECT_EQ(errorOf(""), "there is no model_checkpoint_path");
  EXPECT_EQ(errorOf(latest + latest),
            "line 2: model_checkpoint_path is there twice");
  EXPECT_EQ(errorOf(latest + "\n\ncolour: 3"),
            "line 4: the field 'colour' is unknown");
  EXPECT_EQ(errorOf("model_checkpoint_path \"a\""),
            "line 1: a field's name and ':' are wanted");
  EXPECT_EQ(errorOf("model_checkpoint_path: a"),
            "line 1: a text in quotes is wanted");
  EXPECT_EQ(errorOf("model_checkpoint_path: \"a\n\""),
            "line 1: the text has no closing quote");
  EXPECT_EQ(errorOf("model_checkpoint_path: \"\\y\""),
            "line 1: an unknown escape stands after a backslash");
  EXPECT_EQ(errorOf("model_checkpoint_path: \"a\\"),
            "line 1: the text ends in a backslash");
  EXPECT_EQ(errorOf(latest + "last_preserved_timestamp: nan"),
            "line 2: a number is wanted");
  EXPECT_EQ(errorOf(latest + "all_model_checkpoint_timestamps: 1"),
            "there are 1 timestamps for 0 checkpoints; there must be one for "
            "each, or none");
}

TEST(CheckpointState, NamesStayInTheFolder) {
  for (const char *name : {"", ".", "..", "/etc/passwd", "../x", "a/b",
                           "a\\000b", "a\\n", "\\177"}) {
    const std::string message =
        errorOf("model_checkpoint_path: \"" + std::string(name) + "\"");
    EXPECT_NE(message.find("names nothing in this folder"), message.npos)
        << name << ": " << message;
  }
}

TEST(CheckpointState, AnyBytesGiveAResultOrAnError) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  std::mt19937 random(seed);
  const std::string good = formatCheckpointState({"a", {"b", "a"}, {1, 2}, 3});
  for (int round = 0; round < 20000; ++round) {
    std::string text = good.substr(0, random() % (good.size() + 1));
    for (uint32_t changes = random() % 4; changes > 0 && !text.empty();
         --changes)
      text[random() % text.size()] = char(random());
    auto read = parseCheckpointState(text);
    if (read.ok())
      ASSERT_TRUE(isPlainFileName(read->latest));
    else
      ASSERT_FALSE(read.status().message().empty());
  }
}
