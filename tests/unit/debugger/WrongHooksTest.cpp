// SPDX-License-Identifier: Apache-2.0
// What is wrong is an error with its text, and nothing is written.
#include "WatchedHandles.h"

using namespace smp;
using namespace smp::test;

namespace {

class WrongHooks : public WatchedHandles {
protected:
  /// Of creating or attaching a hook of a configuration that `change` made.
  template <typename Change>
  std::string errorOf(Change change) {
    smp_hook_config *config = smp_hook_config_create();
    smp_hook_config_set_out_dir(config, folder.file("run").c_str());
    change(config);
    smp_hook *hook = nullptr;
    std::string text = textOf(smp_hook_create(config, nullptr, &hook));
    EXPECT_EQ(hook == nullptr, text != "ok");
    if (hook)
      text = textOf(smp_hook_attach(hook, session));
    smp_hook_destroy(hook);
    smp_hook_config_destroy(config);
    return text;
  }
  std::string parsed(const char *json) {
    smp_hook_config *config = nullptr;
    const std::string text = textOf(smp_hook_config_parse(json, &config));
    EXPECT_EQ(config, nullptr);
    return text;
  }
};

TEST_F(WrongHooks, Configurations) {
  using Config = smp_hook_config *;
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_set_save_interval(config, nullptr, 0);
            }),
            "invalid argument: the hook: 'save_interval' is 0; it must be 1 or "
            "more (to save nothing, set 'end_step' to 0)");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_set_save_interval(config, "weights", -1);
            }),
            "invalid argument: the collection 'weights': 'save_interval' is "
            "-1; it must be 1 or more (to save nothing, set 'end_step' to 0)");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_add_include_regex(config, "mine", "a(");
            }),
            "invalid argument: the collection 'mine': the regex 'a(' is "
            "malformed at byte 2: missing closing parenthesis");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_include_collection(config, "nonsense");
            })
                .find("invalid argument: the collection 'nonsense' has neither "
                      "a regex nor a tensor; give it an include_regex,"),
            0u);
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_include_collection(config, "");
            }),
            "invalid argument: a collection has no name; give it one");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_add_reduction(config, "weights", "average");
              smp_hook_config_add_reduction(config, "weights", nullptr);
            })
                .find("invalid argument: smp_hook_config_add_reduction: "
                      "reduction 'average' is none of min, max, mean,"),
            0u);
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_add_reduction(config, nullptr, nullptr);
            }),
            "invalid argument: smp_hook_config_add_reduction: reduction is "
            "NULL");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_include_collection(config, nullptr);
            }),
            "invalid argument: smp_hook_config_include_collection: collection "
            "is NULL");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_add_include_regex(config, "mine", nullptr);
            }),
            "invalid argument: smp_hook_config_add_include_regex: "
            "include_regex is NULL");
  EXPECT_EQ(errorOf([](Config config) {
              smp_hook_config_set_save_steps(config, nullptr, nullptr, 2);
            }),
            "invalid argument: smp_hook_config_set_save_steps: save_steps is "
            "NULL");
  EXPECT_EQ(folder.names(), std::vector<std::string>());
}

TEST_F(WrongHooks, Json) {
  EXPECT_EQ(parsed("{"), "invalid argument: the hook's configuration: it is "
                         "no JSON object");
  EXPECT_EQ(parsed(R"({"HookParameters": {"save_intervall": 5}})")
                .find("invalid argument: 'save_intervall' in 'HookParameters' "
                      "is unknown; there are 'dry_run',"),
            0u);
  EXPECT_EQ(parsed(nullptr),
            "invalid argument: smp_hook_config_parse: json is NULL");
  smp_hook_config *config = nullptr;
  EXPECT_EQ(textOf(smp_hook_config_read(folder.file("none").c_str(), &config)),
            "unavailable: cannot read '" + folder.file("none") +
                "': No such file or directory");
}

TEST_F(WrongHooks, Calls) {
  smp_hook *hook = nullptr;
  smp_hook_config *config = smp_hook_config_create();
  smp_hook_config_set_out_dir(config, folder.file("run").c_str());
  ASSERT_EQ(textOf(smp_hook_create(config, nullptr, &hook)), "ok");
  smp_hook_config_destroy(config);

  float pixels[2] = {};
  const int64_t shape[] = {2}, below[] = {-2};
  smp_tensor tensor = {
      sizeof(smp_tensor), "seen", SMP_F32, 1, shape, pixels, 0};
  const auto save = [&] {
    return textOf(smp_hook_save_tensor(hook, &tensor, nullptr, 0));
  };
  EXPECT_EQ(save(), "failed precondition: the hook cannot save the tensor "
                    "'seen': it is not attached to a Session, or closed");
  EXPECT_EQ(textOf(smp_hook_save_scalar(hook, "a", 1, 0)),
            "failed precondition: the hook cannot save the scalar "
            "'scalar/a': it is not attached to a Session, or closed");

  ASSERT_EQ(textOf(smp_hook_register_loss(hook, "nothing")), "ok");
  EXPECT_EQ(textOf(smp_hook_attach(hook, session)),
            "invalid argument: the hook is to watch 'nothing', which the "
            "program neither gives nor shows; it gives 'loss', 'y'; compile it "
            "with --capture or --capture-all");
  smp_hook_destroy(hook);

  config = smp_hook_config_create();
  ASSERT_EQ(textOf(smp_hook_create(config, nullptr, &hook)), "ok");
  smp_hook_config_destroy(config);
  ASSERT_EQ(textOf(smp_hook_attach(hook, session)), "ok");
  EXPECT_EQ(textOf(smp_hook_attach(hook, session)),
            "failed precondition: the hook is attached to a Session, or "
            "closed; every Session needs a hook of its own");
  EXPECT_EQ(textOf(smp_hook_register_loss(hook, "nothing")),
            "invalid argument: the hook is to watch 'nothing', which the "
            "program neither gives nor shows; it gives 'loss', 'y'; compile it "
            "with --capture or --capture-all");
  EXPECT_EQ(textOf(smp_hook_set_mode(hook, "trian")),
            "invalid argument: smp_hook_set_mode: mode is 'trian'; it "
            "must be one of 'train', 'eval', 'predict', 'global'");
  EXPECT_EQ(textOf(smp_hook_save_scalar(hook, "", 1, 0)),
            "invalid argument: a scalar that is saved needs a name");

  tensor.dtype = smp_dtype(99);
  EXPECT_EQ(save(), "invalid argument: tensor 'seen': its element type is 99; "
                    "there are 0 (SMP_F64) to 12 (SMP_BOOL)");
  tensor.dtype = SMP_F32;
  tensor.shape = nullptr;
  EXPECT_EQ(
      save(),
      "invalid argument: tensor 'seen': its rank is 1, and its shape NULL");
  tensor.shape = below;
  EXPECT_EQ(save(),
            "invalid argument: the tensor 'seen' has a size below 0, or "
            "beyond 2^63 bytes");
  tensor.shape = shape;
  tensor.data = nullptr;
  EXPECT_EQ(save(), "invalid argument: tensor 'seen': its data is NULL");
  tensor.data = pixels;
  tensor.name = "y";
  EXPECT_EQ(save(),
            "invalid argument: the tensor 'y' has the name of an output; "
            "rename it");
  tensor.name = "seen";
  const char *const collections[] = {"default", nullptr};
  EXPECT_EQ(textOf(smp_hook_save_tensor(hook, &tensor, collections, 2)),
            "invalid argument: smp_hook_save_tensor: collections[1] is "
            "NULL");
  EXPECT_EQ(save(), "ok");
  smp_hook_destroy(hook);
}

TEST_F(WrongHooks, Null) {
  smp_hook *hook = nullptr;
  smp_hook_config *config = smp_hook_config_create();
  smp_tensor tensor = SMP_TENSOR_INIT;
  const auto isNull = [](smp_error *error, const std::string &end) {
    EXPECT_EQ(textOf(error), "invalid argument: " + end + " is NULL");
  };
  isNull(smp_hook_config_parse("{}", nullptr),
         "smp_hook_config_parse: out_config");
  isNull(smp_hook_config_read("", nullptr), "smp_hook_config_read: out_config");
  isNull(smp_hook_create(nullptr, nullptr, &hook), "smp_hook_create: config");
  isNull(smp_hook_create(config, nullptr, nullptr),
         "smp_hook_create: out_hook");
  isNull(smp_hook_create_from_environment(nullptr, nullptr),
         "smp_hook_create_from_environment: out_hook");
  isNull(smp_hook_register_loss(nullptr, "loss"),
         "smp_hook_register_loss: hook");
  isNull(smp_hook_attach(nullptr, session), "smp_hook_attach: hook");
  isNull(smp_hook_close(nullptr), "smp_hook_close: hook");
  isNull(smp_hook_set_mode(nullptr, "eval"), "smp_hook_set_mode: hook");
  isNull(smp_hook_save_tensor(nullptr, &tensor, nullptr, 0),
         "smp_hook_save_tensor: hook");

  ASSERT_EQ(textOf(smp_hook_create(config, nullptr, &hook)), "ok");
  isNull(smp_hook_register_loss(hook, nullptr),
         "smp_hook_register_loss: output");
  isNull(smp_hook_add_to_collection(hook, nullptr, "y"),
         "smp_hook_add_to_collection: collection");
  isNull(smp_hook_attach(hook, nullptr), "smp_hook_attach: session");
  isNull(smp_hook_set_mode(hook, nullptr), "smp_hook_set_mode: mode");
  isNull(smp_hook_save_scalar(hook, nullptr, 1, 0),
         "smp_hook_save_scalar: name");
  isNull(smp_hook_save_tensor(hook, nullptr, nullptr, 0),
         "smp_hook_save_tensor: tensor");
  isNull(smp_hook_save_tensor(hook, &tensor, nullptr, 0),
         "smp_hook_save_tensor: tensor->name");
  tensor.name = "seen";
  isNull(smp_hook_save_tensor(hook, &tensor, nullptr, 1),
         "smp_hook_save_tensor: collections");
  EXPECT_EQ(smp_hook_values(hook, nullptr, nullptr)[0], nullptr);
  EXPECT_EQ(smp_hook_values(nullptr, "loss", nullptr), nullptr);
  smp_hook_destroy(hook);
  smp_hook_config_destroy(config);
}

TEST_F(WrongHooks, NullInPlaceOfAnObjectDoesNothing) {
  smp_hook_config_set_out_dir(nullptr, "run");
  smp_hook_config_save_all(nullptr);
  smp_hook_config_include_collection(nullptr, "weights");
  smp_hook_config_add_include_regex(nullptr, nullptr, "w");
  smp_hook_config_set_save_interval(nullptr, nullptr, 1);
  smp_hook_config_set_start_step(nullptr, nullptr, 1);
  smp_hook_config_set_end_step(nullptr, nullptr, 1);
  smp_hook_config_set_save_steps(nullptr, nullptr, nullptr, 0);
  smp_hook_config_add_reduction(nullptr, nullptr, "mean");
  smp_hook_config_save_raw_tensor(nullptr, nullptr);
  smp_hook_config_destroy(nullptr);
  smp_hook_options_resume(nullptr);
  smp_hook_options_set_buffer_bytes(nullptr, 1);
  smp_hook_options_wait_when_behind(nullptr);
  smp_hook_options_set_keep_values(nullptr, 1);
  smp_hook_options_stop_on_error(nullptr);
  smp_hook_options_set_log(nullptr, nullptr, nullptr);
  smp_hook_options_destroy(nullptr);
  smp_hook_destroy(nullptr);
  EXPECT_STREQ(smp_hook_mode(nullptr), "");
  EXPECT_STREQ(smp_hook_summary(nullptr), "");
  EXPECT_EQ(smp_hook_counts(nullptr), nullptr);
}

} // namespace
