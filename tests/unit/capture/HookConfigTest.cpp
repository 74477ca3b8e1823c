// SPDX-License-Identifier: Apache-2.0
// Configurations are read as smdebug reads them, written again, and refused by
// name.
#include "smp/capture/HookConfig.h"
#include "TemporaryFolder.h"
#include <cstdlib>
#include <gtest/gtest.h>

using namespace smp;

namespace {

HookConfig parsed(const std::string &json) {
  StatusOr<HookConfig> config = parseHookConfig(json);
  EXPECT_TRUE(config.ok()) << json << ": " << config.status().message();
  return config.ok() ? config.take() : HookConfig();
}

std::string refusal(const std::string &json) {
  return parseHookConfig(json).status().message();
}

std::string hookWith(const std::string &parameters) {
  return "{\"HookParameters\": {" + parameters + "}}";
}

std::string collectionWith(const std::string &parameters) {
  return "{\"CollectionConfigurations\": [{\"CollectionName\": \"weights\", "
         "\"CollectionParameters\": {" +
         parameters + "}}]}";
}

constexpr const char *kWhole = R"({
  "S3Path": "s3://b/p", "LocalPath": "/data/out",
  "HookParameters": {
    "save_all": "false", "include_workers": "all", "include_regex": "relu, tanh",
    "save_interval": "100", "save_steps": "1,2, 3", "start_step": 1,
    "end_step": "1000", "train.save_interval": "50", "dry_run": "True",
    "reductions": "min,abs_variance,abs_l2_norm", "save_raw_tensor": true,
    "export_tensorboard": "true", "tensorboard_dir": "/data/tb"},
  "CollectionConfigurations": [
    {"CollectionName": "weights", "CollectionParameters": {
      "include_regex": "fc.*", "save_interval": 10, "eval.save_interval": "1",
      "reductions": "mean,l1_norm", "save_histogram": "false"}},
    {"CollectionName": "losses", "CollectionParameters": null}]})";

TEST(HookConfig, IsReadFromJson) {
  const HookConfig config = parsed(kWhole);
  EXPECT_EQ(config.s3Path, "s3://b/p");
  EXPECT_EQ(config.outDir, "/data/out");
  EXPECT_TRUE(config.dryRun && !config.saveAll && config.exportTensorboard);
  EXPECT_EQ(config.includeWorkers, "all");
  EXPECT_EQ(config.includeRegex, (std::vector<std::string>{"relu", "tanh"}));
  EXPECT_EQ(config.saveConfig.saveInterval, 100);
  EXPECT_EQ(config.saveConfig.saveSteps, (std::vector<int64_t>{1, 2, 3}));
  EXPECT_EQ(config.saveConfig.startStep, 1);
  EXPECT_EQ(config.saveConfig.endStep, 1000);
  EXPECT_EQ(config.saveConfig.of(Mode::Train).saveInterval, 50);
  EXPECT_EQ(config.tensorboardDir, "/data/tb");
  using Kind = TensorReduction::Kind;
  ASSERT_TRUE(config.reductionConfig);
  EXPECT_EQ(config.reductionConfig->reductions,
            (std::vector<TensorReduction>{
                {Kind::Min}, {Kind::Variance, true}, {Kind::L2, true}}));
  EXPECT_TRUE(config.reductionConfig->saveRawTensor);
  ASSERT_EQ(config.collections.size(), 2u);
  const CollectionConfig &weights = config.collections[0];
  EXPECT_EQ(weights.includeRegex, std::vector<std::string>{"fc.*"});
  EXPECT_EQ(weights.saveConfig.of(Mode::Eval).saveInterval, 1);
  EXPECT_FALSE(weights.saveHistogram);
  EXPECT_FALSE(weights.reductionConfig->saveRawTensor);
  EXPECT_EQ(config.collections[1], CollectionConfig{.name = "losses"});
}

TEST(HookConfig, HasDefaults) {
  HookConfig expected;
  expected.outDir = "/opt/ml/output/tensors";
  EXPECT_EQ(parsed("{}"), expected);
  EXPECT_EQ(parsed("{\"HookParameters\": null, "
                   "\"CollectionConfigurations\": null}"),
            expected);
  EXPECT_FALSE(expected.reductionConfig); // Tensors are saved whole.
}

TEST(HookConfig, IsWrittenAndReadAgain) {
  HookConfig odd = parsed(kWhole);
  odd.microbatchesApart = true;
  odd.includeRegex = {"a,b", " c", "\\d{2,3}"};
  odd.saveConfig.of(Mode::Global).endStep = kNoEndStep;
  odd.saveConfig.of(Mode::Predict).saveSteps.emplace();
  odd.collections[1].reductionConfig.emplace();
  odd.collections[1].tensorNames = {"y", "a,b"};
  for (const HookConfig &config :
       {parsed("{}"), parsed(kWhole), odd, HookConfig()})
    EXPECT_EQ(parsed(toJson(config)), config) << toJson(config);
}

TEST(HookConfig, NumbersAndBooleansMayBeText) {
  EXPECT_EQ(parsed(hookWith("\"save_steps\": [3, \"7\"]")),
            parsed(hookWith("\"save_steps\": \"3,7\"")));
  EXPECT_EQ(parsed(hookWith("\"save_steps\": 3")),
            parsed(hookWith("\"save_steps\": \"3\"")));
  EXPECT_EQ(
      parsed(hookWith("\"save_all\": true, \"end_step\": 1e1")),
      parsed(hookWith("\"save_all\": \"true\", \"end_step\": \" +10 \"")));
  EXPECT_EQ(parsed(hookWith("\"save_interval\": null")).saveConfig.saveInterval,
            500); // Said, and so nearer than what a hook says.
}

TEST(HookConfig, WhatIsWrongIsNamed) {
  const std::pair<std::string, std::string> cases[] = {
      {hookWith("\"save_intervall\": 1"), "'save_intervall' in "
                                          "'HookParameters' is unknown"},
      {hookWith("\"test.save_interval\": 1"), "'test.save_interval' in "},
      {"{\"Colections\": []}", "'Colections' in the hook's configuration"},
      {collectionWith("\"save_all\": true"),
       "'save_all' in the collection 'weights' is unknown"},
      {hookWith("\"save_interval\": 0"), "'save_interval' is 0; it must be 1"},
      {collectionWith("\"eval.save_interval\": \"-2\""),
       "the collection 'weights': 'eval.save_interval' is -2; it must be 1"},
      {hookWith("\"save_interval\": [1, 2]"),
       "'save_interval' in 'HookParameters' is a list; it must be a whole"},
      {hookWith("\"start_step\": \"1,2\""), "'start_step' in "},
      {hookWith("\"end_step\": 1.5"), "is 1.5; it must be a whole number"},
      {hookWith("\"end_step\": 18446744073709551615"), "whole number"},
      {hookWith("\"save_steps\": \"1,x\""), "holds 'x'; it must hold whole"},
      {hookWith("\"save_all\": \"yes\""), "is 'yes'; it must be true or"},
      {hookWith("\"reductions\": \"mode\""),
       "reduction 'mode' is none of min, max, mean"},
      {hookWith("\"reductions\": \"l1\""), "reduction 'l1' is none of"},
      {hookWith("\"save_shape\": true"), "'save_shape' in 'HookParameters' "
                                         "counts only beside 'reductions'"},
      {hookWith("\"include_workers\": \"some\""), "include_workers is 'some'"},
      {hookWith("\"include_regex\": \"(\""),
       "the regex '(' is malformed at byte 1: missing closing parenthesis"},
      {hookWith("\"include_regex\": \"a,,b\""), "a regex is empty"},
      {hookWith("\"save_all\": true, \"save_all\": false"), "is given twice"},
      {"{\"CollectionConfigurations\": [{}]}", "has no 'CollectionName'"},
      {"{\"CollectionConfigurations\": {}}", "must be a list"},
      {"{\"CollectionConfigurations\": [{\"CollectionName\": \"a\"}, "
       "{\"CollectionName\": \"a\"}]}",
       "the collection 'a' is given twice"},
      {"{\"HookParameters\": [1]}",
       "'HookParameters' is a list; it must be an"},
      {"[]", "it is no JSON object"},
      {"{", "it is no JSON object"},
      {"{\"HookParameters\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{\"a\":{"
       "}}}}}}}}}",
       "it is nested deeper than 8"},
  };
  for (const auto &[json, message] : cases)
    EXPECT_NE(refusal(json).find(message), std::string::npos)
        << json << ": " << refusal(json);
}

TEST(HookConfig, IsFoundWhereItIsSaidToBe) {
  TemporaryFolder folder;
  folder.write("given.json", "{\"LocalPath\": \"given\"}");
  folder.write("named.json", "{\"LocalPath\": \"named\"}");
  ::setenv("SMDEBUG_CONFIG_FILE_PATH", folder.file("named.json").c_str(), 1);
  EXPECT_EQ(readHookConfig(folder.file("given.json"))->outDir, "given");
  EXPECT_EQ(readHookConfig()->outDir, "named");
  const std::string nowhere = folder.file("nowhere.json");
  EXPECT_NE(readHookConfig(nowhere).status().message().find(nowhere),
            std::string::npos);
  ::unsetenv("SMDEBUG_CONFIG_FILE_PATH");
}

/// In a job of SageMaker its own file says where TensorBoard's files go.
TEST(HookConfig, TakesTensorboardsFolderFromTheJob) {
  TemporaryFolder folder;
  folder.write("hook.json", hookWith("\"tensorboard_dir\": \"/data/tb\""));
  const std::string board = folder.file("board.json");
  auto read = [&] { return readHookConfig(folder.file("hook.json")); };
  ::setenv("TENSORBOARD_CONFIG_FILE_PATH", board.c_str(), 1);
  EXPECT_EQ(read()->tensorboardDir, "/data/tb");
  ::setenv("TRAINING_JOB_NAME", "job", 1);
  EXPECT_FALSE(exportsTensorboard(*read())); // There is no such file.
  folder.write("board.json", "{\"LocalPath\": \"/job/tb\"}");
  EXPECT_EQ(read()->tensorboardDir, "/job/tb");
  EXPECT_TRUE(read()->exportTensorboard);
  folder.write("board.json", "{\"LocalPath\": 3}");
  EXPECT_EQ(read().status().message(),
            "'" + board +
                "': 'LocalPath' in the TensorBoard configuration is 3; it must "
                "be a text");
  ::unsetenv("TRAINING_JOB_NAME");
  ::unsetenv("TENSORBOARD_CONFIG_FILE_PATH");
}

} // namespace
