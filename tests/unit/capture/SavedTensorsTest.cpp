// SPDX-License-Identifier: Apache-2.0
// What is written of a tensor whose collections say different things, or say
// nothing.
#include "TemporaryFolder.h"
#include "WatchedSession.h"
#include "smp/trial/Trial.h"

using namespace smp;
using namespace smp::test;

namespace {

using Kind = TensorReduction::Kind;

class SavedTensors : public testing::Test, protected Watched {
protected:
  void attach(HookConfig config) {
    config.outDir = folder.file("run");
    hook.emplace(std::move(config));
    const Status status = hook->attach(*session);
    ASSERT_TRUE(status.ok()) << status.message();
  }

  void makeSteps(int count) {
    for (int i = 0; i < count; ++i)
      ASSERT_TRUE(step("train", float(i)).ok());
    ASSERT_TRUE(hook->close().ok());
  }

  /// The index of a step, which is below 10.
  std::string indexOf(int step) const {
    return folder.read("run/index/000000000/00000000000" +
                       std::to_string(step) + "_worker_0.json");
  }

  TemporaryFolder folder;
  std::optional<Hook> hook;
};

bool has(const std::string &text, const std::string &part) {
  return text.find(part) != text.npos;
}

constexpr const char *kValue = "\"tensor_payload\": [{\"tensorname\": \"y\"";
constexpr const char *kShape = "\"shape_payload\": [{\"tensorname\": \"y\"";
constexpr const char *kNoShape = "\"shape_payload\": []";

/// With both, readers lose the value.
TEST_F(SavedTensors, HaveNoShapeBesideTheirValue) {
  const ReductionConfig value{.saveRawTensor = true}, shape{.saveShape = true};
  HookConfig config = everyStep();
  config.collections = {
      {.name = "both",
       .tensorNames = {"y"},
       .saveConfig = {{.endStep = 1}},
       .reductionConfig =
           ReductionConfig{.saveRawTensor = true, .saveShape = true}},
      {.name = "value",
       .tensorNames = {"y"},
       .saveConfig = {{.startStep = 1, .endStep = 2}},
       .reductionConfig = value},
      {.name = "shape",
       .tensorNames = {"y"},
       .saveConfig = {{.startStep = 1}},
       .reductionConfig = shape}};
  attach(config);
  makeSteps(3);
  for (const int step : {0, 1}) {
    EXPECT_TRUE(has(indexOf(step), kValue)) << indexOf(step);
    EXPECT_TRUE(has(indexOf(step), kNoShape)) << indexOf(step);
  }
  EXPECT_TRUE(has(indexOf(2), kShape)) << indexOf(2);
  EXPECT_FALSE(has(indexOf(2), kValue)) << indexOf(2);
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  for (const uint64_t step : {0u, 1u, 2u})
    EXPECT_EQ(*trial->shape("y", {step}), (Shape{2, 8}));
}

/// What the collections file says of one collection with the tensor y.
std::string collectionOfHook(const std::string &name) {
  std::string text = "\"" + name + "\": {\"name\": \"" + name +
                     "\", \"include_regex\": [], \"tensor_names\": [\"y\"], "
                     "\"reduction_config\": {\"save_raw_tensor\": false, "
                     "\"reductions\": \"max\", \"save_shape\": false}, "
                     "\"save_config\": {";
  for (const char *mode : {"TRAIN", "EVAL", "PREDICT", "GLOBAL"})
    text += std::string(*mode == 'T' ? "" : ", ") + "\"" + mode +
            "\": {\"save_interval\": " + (*mode == 'E' ? "3" : "2") +
            ", \"save_steps\": [], \"start_step\": 0, \"end_step\": null}";
  return text + "}, \"save_histogram\": true}";
}

/// Before attach() and after it.
TEST_F(SavedTensors, OfNewCollectionsAreSavedAsTheHookSays) {
  HookConfig config{.saveConfig = {{.saveInterval = 2}},
                    .reductionConfig =
                        ReductionConfig{.reductions = {{Kind::Max}}}};
  config.saveConfig.of(Mode::Eval).saveInterval = 3;
  config.outDir = folder.file("run");
  hook.emplace(config);
  EXPECT_EQ(hook->collection("early"), CollectionConfig{.name = "early"});
  hook->collection("early").tensorNames = {"y"};
  ASSERT_TRUE(hook->attach(*session).ok());
  ASSERT_TRUE(hook->addToCollection("late", "y").ok());
  EXPECT_EQ(hook->collection("late"),
            (CollectionConfig{.name = "late", .tensorNames = {"y"}}));
  makeSteps(3);
  const std::string collections =
      folder.read("run/collections/000000000/worker_0_collections.json");
  for (const char *name : {"early", "late"})
    EXPECT_TRUE(has(collections, collectionOfHook(name))) << collections;
  const auto trial = Trial::open(folder.file("run"));
  ASSERT_TRUE(trial.ok()) << trial.status().message();
  EXPECT_EQ(*trial->stepsOf("y"), (std::vector<uint64_t>{0, 2}));
  EXPECT_FALSE(trial->hasValue("y", {2}));
  EXPECT_EQ(*trial->reductionValue("y", {2}, {"max"}), 5); // Twice 2 plus 1.
}

} // namespace
