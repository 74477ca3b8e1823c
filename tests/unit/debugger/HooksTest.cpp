// SPDX-License-Identifier: Apache-2.0
// Hooks by the C API: what they are told, what they say.
#include "WatchedHandles.h"
#include "smp/trial/Trial.h"

using namespace smp;
using namespace smp::test;

namespace {

class HooksInC : public WatchedHandles {
protected:
  HooksInC() {
    smp_hook_config_set_out_dir(config, folder.file("run").c_str());
    smp_hook_config_set_save_interval(config, nullptr, 1);
  }
  ~HooksInC() override {
    smp_hook_destroy(hook);
    smp_hook_options_destroy(options);
    smp_hook_config_destroy(config);
  }

  void create() {
    smp_hook_destroy(hook);
    hook = nullptr;
    ASSERT_EQ(textOf(smp_hook_create(config, options, &hook)), "ok");
  }
  void attach() {
    create();
    ASSERT_EQ(textOf(smp_hook_register_loss(hook, "loss")), "ok");
    ASSERT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
  }

  static void note(void *said, int isWarning, const char *text, size_t size) {
    static_cast<std::vector<std::string> *>(said)->push_back(
        (isWarning ? "warning: " : "") + std::string(text, size));
  }

  std::vector<std::string> said;
  smp_hook_config *config = smp_hook_config_create();
  smp_hook_options *options = smp_hook_options_create();
  smp_hook *hook = nullptr;
};

TEST_F(HooksInC, HaveValuesCountsAndASummary) {
  attach();
  EXPECT_STREQ(smp_hook_mode(hook), "global");
  EXPECT_EQ(step("train", 1), "ok");
  EXPECT_EQ(step("train", 2), "ok");
  EXPECT_EQ(step("eval", 3), "ok");
  EXPECT_STREQ(smp_hook_mode(hook), "eval");
  size_t count = 0;
  const smp_captured_value *const *values =
      smp_hook_values(hook, "loss", &count);
  ASSERT_EQ(count, 3u);
  EXPECT_STREQ(values[1]->mode, "train");
  EXPECT_EQ(values[1]->mode_step, 1u);
  EXPECT_EQ(values[1]->mean, 5);
  EXPECT_EQ(values[3], nullptr);
  EXPECT_EQ(smp_hook_values(hook, "y", nullptr)[0], nullptr);
  EXPECT_STREQ(smp_hook_summary(hook), "");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  const smp_step_counts counts = *smp_hook_counts(hook);
  EXPECT_EQ(counts.written, 3u);
  EXPECT_EQ(counts.left_out + counts.lost, 0u);
  EXPECT_EQ(smp_hook_summary(hook),
            "'" + folder.file("run") + "' has 3 steps in " +
                std::to_string(counts.bytes) + " bytes");
}

TEST_F(HooksInC, SayWhyNothingWasSaved) {
  smp_hook_options_set_log(options, note, &said);
  create();
  ASSERT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
  EXPECT_EQ(step("train", 1), "ok");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  const std::string summary = smp_hook_summary(hook);
  EXPECT_EQ(summary, "'" + folder.file("run") +
                         "' has no step: no collection that is saved has one "
                         "of the tensors 'loss', 'y'; name them to "
                         "registerLoss() or addToCollection(), or with "
                         "include_regex");
  EXPECT_EQ(said, std::vector<std::string>{"warning: " + summary});
}

TEST_F(HooksInC, SaveWhatTheApplicationGives) {
  attach();
  ASSERT_EQ(step("train", 1), "ok");
  float pixels[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  const smp_tensor tensor = {
      sizeof(smp_tensor), "seen", SMP_F32, 2, shape, pixels, 0};
  const char *const collections[] = {"mine", "inputs"};
  EXPECT_EQ(textOf(smp_hook_save_scalar(hook, "accuracy", 0.5, 0)), "ok");
  EXPECT_EQ(textOf(smp_hook_save_tensor(hook, &tensor, collections, 2)), "ok");
  smp_tensor other = tensor;
  other.name = "other";
  EXPECT_EQ(textOf(smp_hook_save_tensor(hook, &other, nullptr, 0)), "ok");
  ASSERT_EQ(textOf(smp_hook_close(hook)), "ok");
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_EQ(*trial->reductionValue("scalar/accuracy", {}, {"mean"}), 0.5);
  const auto seen = trial->value("seen", {});
  ASSERT_TRUE(seen.ok()) << seen.status().message();
  EXPECT_EQ(seen->type.shape, (Shape{2, 3}));
  const auto bytes = std::as_bytes(std::span(pixels));
  EXPECT_TRUE(std::ranges::equal(seen->bytes, bytes));
  const auto namesIn = [&](const char *collection) {
    return *trial->tensorNames({.collection = collection});
  };
  EXPECT_EQ(namesIn("mine"), std::vector<std::string>{"seen"});
  EXPECT_EQ(namesIn("inputs"), std::vector<std::string>{"seen"});
  EXPECT_EQ(namesIn("default"), std::vector<std::string>{"other"});
}

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

TEST_F(HooksInC, GoOnInAFolderIfTheyAreToldTo) {
  attach();
  EXPECT_EQ(step("train", 1), "ok");
  create(); // What was there is closed.
  const std::string refused = textOf(smp_hook_attach(hook, session));
  EXPECT_NE(refused.find(folder.file("run")), std::string::npos) << refused;
  smp_hook_options_resume(options);
  attach();
  EXPECT_EQ(step("train", 2), "ok");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  EXPECT_EQ(Trial::open(folder.file("run"))->steps(Mode::Train),
            (std::vector<uint64_t>{0, 1}));
}

TEST_F(HooksInC, LeaveOutWhatFindsNoRoom) {
  smp_hook_options_set_keep_values(options, 1);
  smp_hook_options_set_buffer_bytes(options, 150); // Too few for a step.
  smp_hook_options_set_log(options, note, &said);
  attach();
  EXPECT_EQ(step("train", 1), "ok");
  EXPECT_EQ(step("train", 2), "ok");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  EXPECT_EQ(smp_hook_counts(hook)->left_out, 2u);
  EXPECT_EQ(smp_hook_counts(hook)->written, 0u);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("warning: step 0 is left out"), std::string::npos);
  EXPECT_NE(said[1].find("2 were left out"), std::string::npos) << said[1];
}

TEST_F(HooksInC, WaitIfTheyAreToldTo) {
  smp_hook_options_wait_when_behind(options);
  smp_hook_options_set_keep_values(options, 2);
  smp_hook_options_set_buffer_bytes(options, 400); // Enough for one step.
  attach();
  for (int i = 0; i < 30; ++i)
    ASSERT_EQ(step("train", float(i)), "ok");
  EXPECT_EQ(textOf(smp_hook_close(hook)), "ok");
  EXPECT_EQ(smp_hook_counts(hook)->written, 30u);
  size_t count = 0;
  smp_hook_values(hook, "loss", &count);
  EXPECT_EQ(count, 2u);
}

TEST_F(HooksInC, AFailureEndsTheRunIfTheyAreToldTo) {
  attach();
  EXPECT_EQ(textOf(smp_hook_set_mode(hook, "eval")), "ok");
  EXPECT_EQ(step("train", 1), "ok");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("EVAL"), std::string::npos) << warnings[0];

  smp_hook_config_set_out_dir(config, folder.file("second").c_str());
  smp_hook_options_stop_on_error(options);
  attach();
  EXPECT_EQ(textOf(smp_hook_set_mode(hook, "eval")), "ok");
  const std::string error = step("train", 1);
  EXPECT_NE(error.find("EVAL"), std::string::npos) << error;
}

} // namespace
