// SPDX-License-Identifier: Apache-2.0
// A configuration in C makes the folder that the same makes in C++.
#include "TrainedChain.h"
#include "WatchedHandles.h"
#include <cstdlib>

using namespace smp;
using namespace smp::test;

namespace {

class HookConfigs : public WatchedHandles {
protected:
  HookConfigs() { smp_hook_config_set_out_dir(config, c.c_str()); }
  ~HookConfigs() override { smp_hook_config_destroy(config); }

  /// Of ten steps of two modes.
  using Files = std::map<std::string, std::string>;
  Files filesOf(HookConfig wanted) {
    wanted.outDir = folder.file("cpp");
    std::optional<Hook> hook(wanted);
    EXPECT_TRUE(hook->attach(*watched.session).ok());
    for (int i = 0; i < 10; ++i)
      EXPECT_TRUE(watched.step(i % 3 == 2 ? "eval" : "train", float(i)).ok());
    hook.reset();
    return timelessFiles(wanted.outDir);
  }
  Files files() {
    smp_hook *hook = nullptr;
    EXPECT_EQ(textOf(smp_hook_create(config, nullptr, &hook)), "ok");
    EXPECT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
    for (int i = 0; i < 10; ++i)
      EXPECT_EQ(step(i % 3 == 2 ? "eval" : "train", float(i)), "ok");
    EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
    smp_hook_destroy(hook);
    return timelessFiles(c);
  }

  static void expectSame(const Files &made, const Files &wanted) {
    std::vector<std::string> names, wantedNames;
    for (const auto &[name, text] : made)
      names.push_back(name);
    for (const auto &[name, text] : wanted)
      wantedNames.push_back(name);
    ASSERT_EQ(names, wantedNames);
    EXPECT_GT(names.size(), 4u); // One step, its index, and two of the run.
    for (const auto &[name, text] : made)
      EXPECT_TRUE(text == wanted.at(name)) << name;
  }

  const std::string c = folder.file("c");
  smp_hook_config *config = smp_hook_config_create();
};

TEST_F(HookConfigs, SaveAll) {
  smp_hook_config_save_all(config);
  smp_hook_config_set_save_interval(config, nullptr, 2);
  expectSame(files(),
             filesOf({.saveAll = true, .saveConfig = {{.saveInterval = 2}}}));
}

TEST_F(HookConfigs, StepsOfTheHook) {
  const int64_t steps[] = {1, 2};
  smp_hook_config_add_include_regex(config, nullptr, "^y");
  smp_hook_config_set_save_interval(config, nullptr, 2);
  smp_hook_config_set_start_step(config, nullptr, 4);
  smp_hook_config_set_end_step(config, nullptr, 6);
  smp_hook_config_set_save_steps(config, nullptr, steps, 2);
  expectSame(files(), filesOf({.includeRegex = {"^y"},
                               .saveConfig = {{.saveInterval = 2,
                                               .startStep = 4,
                                               .endStep = 6,
                                               .saveSteps = {{1, 2}}}}}));
}

TEST_F(HookConfigs, WhatIsSaidOfCollections) {
  const int64_t steps[] = {3};
  smp_hook_config_include_collection(config, "outputs");
  smp_hook_config_set_save_steps(config, "outputs", steps, 1);
  smp_hook_config_add_reduction(config, "outputs", "abs_mean");
  smp_hook_config_add_reduction(config, "outputs", "l2_norm");
  smp_hook_config_save_raw_tensor(config, "outputs");
  smp_hook_config_add_include_regex(config, "mine", "loss");
  smp_hook_config_set_save_interval(config, "mine", 3);
  smp_hook_config_set_start_step(config, "mine", 1);
  smp_hook_config_set_end_step(config, "mine", 5);
  smp_hook_config_add_reduction(config, nullptr, "max");
  using Kind = TensorReduction::Kind;
  expectSame(
      files(),
      filesOf({.reductionConfig = {{.reductions = {{Kind::Max}}}},
               .collections = {
                   {.name = "outputs",
                    .saveConfig = {{.saveSteps = {{3}}}},
                    .reductionConfig = {{.reductions = {{Kind::Mean, true},
                                                        {Kind::L2}},
                                         .saveRawTensor = true}}},
                   {.name = "mine",
                    .includeRegex = {"loss"},
                    .saveConfig = {
                        {.saveInterval = 3, .startStep = 1, .endStep = 5}}}}}));
}

TEST_F(HookConfigs, WithoutAFolderNothingIsWritten) {
  smp_hook_config_set_out_dir(config, nullptr);
  smp_hook_config_save_all(config);
  smp_hook *hook = nullptr;
  ASSERT_EQ(textOf(smp_hook_create(config, nullptr, &hook)), "ok");
  ASSERT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
  EXPECT_EQ(step("train", 1), "ok");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  EXPECT_EQ(smp_hook_counts(hook)->written, 0u);
  EXPECT_STREQ(smp_hook_summary(hook), "");
  EXPECT_EQ(folder.names(), std::vector<std::string>());
  smp_hook_destroy(hook);
}

//===----------------------------------------------------------------------===//
// As JSON
//===----------------------------------------------------------------------===//

class JsonConfigs : public HookConfigs {
protected:
  void SetUp() override {
    smp_hook_config_destroy(config);
    config = nullptr;
  }
  void TearDown() override { unsetenv("SMDEBUG_CONFIG_FILE_PATH"); }

  const std::string json =
      R"({"LocalPath": ")" + c +
      R"(", "HookParameters": {"save_interval": 5, "include_regex": "y"}})";
  const HookConfig same{.includeRegex = {"y"},
                        .saveConfig = {{.saveInterval = 5}}};
};

TEST_F(JsonConfigs, AreParsedAndMayBeChanged) {
  ASSERT_EQ(textOf(smp_hook_config_parse(json.c_str(), &config)), "ok");
  smp_hook_config_set_save_interval(config, nullptr, 3);
  expectSame(files(), filesOf({.includeRegex = {"y"},
                               .saveConfig = {{.saveInterval = 3}}}));
}

TEST_F(JsonConfigs, AreReadFromAFile) {
  folder.write("hook.json", json);
  ASSERT_EQ(
      textOf(smp_hook_config_read(folder.file("hook.json").c_str(), &config)),
      "ok");
  expectSame(files(), filesOf(same));
}

TEST_F(JsonConfigs, AreThoseOfTheEnvironment) {
  smp_hook *hook = nullptr;
  folder.write("hook.json", json);
  setenv("SMDEBUG_CONFIG_FILE_PATH", folder.file("hook.json").c_str(), 1);
  ASSERT_EQ(textOf(smp_hook_create_from_environment(nullptr, &hook)), "ok");
  ASSERT_NE(hook, nullptr);
  EXPECT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
  smp_hook_destroy(hook);
  EXPECT_TRUE(std::filesystem::exists(c + "/collections"));

  folder.write("hook.json", "{}}");
  const std::string error =
      textOf(smp_hook_create_from_environment(nullptr, &hook));
  EXPECT_NE(error.find("invalid argument"), std::string::npos) << error;
  EXPECT_NE(error.find("hook.json"), std::string::npos) << error;
}

TEST_F(JsonConfigs, AnEnvironmentWithoutOneGivesNoHook) {
  if (hasHookConfig())
    GTEST_SKIP() << "this machine has the default file";
  smp_hook *hook = nullptr;
  ASSERT_EQ(textOf(smp_hook_create_from_environment(nullptr, &hook)), "ok");
  EXPECT_EQ(hook, nullptr);
}

} // namespace
