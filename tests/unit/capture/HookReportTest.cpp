// SPDX-License-Identifier: Apache-2.0
// What a hook has to say of what it saved.
#include "TemporaryFolder.h"
#include "WatchedSession.h"

using namespace smp;
using namespace smp::test;

namespace {

class HookReports : public testing::Test, protected Watched {
protected:
  void attach(HookConfig config) {
    config.outDir = folder.file("run");
    hook.emplace(std::move(config),
                 HookOptions{.log = [this](LogLevel, std::string_view line) {
                   said.emplace_back(line);
                 }});
    const Status status = hook->attach(*session);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  TemporaryFolder folder;
  std::vector<std::string> said;
  std::optional<Hook> hook;
};

TEST_F(HookReports, AHookThatSavedNothingSaysWhy) {
  auto report = [&](HookConfig config, int steps) {
    said.clear();
    std::filesystem::remove_all(folder.file("run"));
    attach(std::move(config));
    for (int i = 0; i < steps; ++i)
      EXPECT_TRUE(step("train", 0).ok());
    EXPECT_EQ(hook->report().summary, "");
    EXPECT_TRUE(hook->close().ok());
    EXPECT_EQ(hook->report().summary, said.empty() ? "" : said.back());
    return hook->report().summary;
  };
  const std::string start = "'" + folder.file("run") + "' has no step: ";
  EXPECT_EQ(report({.saveAll = true}, 0), start + "no step was made");
  EXPECT_EQ(report({}, 2),
            start + "no collection that is saved has one of the tensors "
                    "'loss', 'y'; name them to registerLoss() or "
                    "addToCollection(), or with include_regex");
  EXPECT_EQ(report({.includeRegex = {"y"}, .saveConfig = {{.endStep = 0}}}, 2),
            start + "steps were made, 2 of TRAIN, of which the collections "
                    "'default' save none, or of tensors without elements; see "
                    "save_interval, start_step, end_step and save_steps");
}

TEST_F(HookReports, SavingAllSaysHowMuchThatIs) {
  attach({.saveAll = true, .saveConfig = {{.saveInterval = 1}}});
  ASSERT_TRUE(step("train", 0).ok());
  ASSERT_TRUE(step("train", 0).ok());
  EXPECT_EQ(said, (std::vector<std::string>{
                      "the program shows nothing that is in 'inputs', "
                      "'weights', 'biases', 'gradients', 'layers', "
                      "'optimizer_variables'; compile it with --capture or "
                      "--capture-all",
                      "saveAll: step 0, of mode TRAIN, has 2 tensors in 312 "
                      "bytes, as may every step that is saved"}));
}

} // namespace
