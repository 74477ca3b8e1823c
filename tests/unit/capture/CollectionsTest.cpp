// SPDX-License-Identifier: Apache-2.0
// Which collections have a tensor, when they are saved, and what regexes may
// cost.
#include "Collections.h"
#include "BuiltInCollections.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

Collections collectionsOf(const HookConfig &config) {
  StatusOr<Collections> made = Collections::of(config);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.take();
}

std::vector<std::string> namesWith(Collections &collections,
                                   std::string_view tensor) {
  std::vector<std::string> names;
  const auto having = collections.with(tensor);
  EXPECT_TRUE(having.ok()) << having.status().message();
  for (const Collection *each : *having)
    names.push_back(each->name);
  return names;
}

using Names = std::vector<std::string>;

TEST(Collections, HaveTheirRegexes) {
  HookConfig config;
  for (const char *name : {"weights", "biases", "gradients"})
    config.collections.push_back({.name = name});
  Collections all = collectionsOf(config);
  EXPECT_EQ(namesWith(all, "fc.weight"), Names{"weights"});
  EXPECT_EQ(namesWith(all, "fc.bias"), Names{"biases"});
  EXPECT_EQ(namesWith(all, "gradient/fc.weight"), Names{"gradients"});
  EXPECT_EQ(namesWith(all, "CrossEntropyLoss_output_0"), Names{"losses"});
  EXPECT_EQ(namesWith(all, "CrossEntropyLoss_input_output"), Names{});
  EXPECT_EQ(namesWith(all, "relu_output_0"), Names{});
}

TEST(Collections, FindRegexesAnywhereAndNamesWhole) {
  HookConfig config{.includeRegex = {"relu"}};
  config.collections = {{.name = "mine", .includeRegex = {"^a\\d+$", "ü"}},
                        {.name = "weights", .includeRegex = {"kernel"}},
                        {.name = "told", .tensorNames = {"x"}}};
  Collections all = collectionsOf(config);
  EXPECT_EQ(namesWith(all, "net/relu_1"), Names{"default"});
  EXPECT_EQ(namesWith(all, "a12"), Names{"mine"});
  EXPECT_EQ(namesWith(all, "ba12"), Names{});
  EXPECT_EQ(namesWith(all, "große/tür"), Names{"mine"});
  EXPECT_EQ(namesWith(all, "kernel"), Names{"weights"});
  EXPECT_EQ(namesWith(all, "weight"), Names{"weights"}); // Its own counts too.
  EXPECT_EQ(namesWith(all, "x"), Names{"told"});
  EXPECT_EQ(namesWith(all, "xx"), Names{});
}

TEST(Collections, AllSavesEveryCollection) {
  Collections all = collectionsOf({.saveAll = true});
  EXPECT_EQ(namesWith(all, "fc.weight"), (Names{"all", "weights"}));
  HookConfig listed;
  listed.collections = {{.name = "all"}};
  Collections every = collectionsOf(listed);
  EXPECT_EQ(namesWith(every, "fc.weight"), Names{"weights"});
}

TEST(Collections, ThoseOfTrainingAreSkippedElsewhere) {
  HookConfig config{.saveConfig = {{.saveInterval = 1}}};
  config.collections = {{.name = "gradients"},
                        {.name = "optimizer_variables"},
                        {.name = "weights"}};
  Collections all = collectionsOf(config);
  for (const auto &[name, tensor] :
       {std::pair("gradients", "gradient/a"), std::pair("weights", "weight")}) {
    const Collection *collection = all.with(tensor)->at(0);
    EXPECT_EQ(collection->name, name);
    const bool isAlways = collection->name == "weights";
    EXPECT_TRUE(collection->isSavedAt(Mode::Train, 0));
    EXPECT_TRUE(collection->isSavedAt(Mode::Global, 0));
    EXPECT_EQ(collection->isSavedAt(Mode::Eval, 0), isAlways);
    EXPECT_EQ(collection->isSavedAt(Mode::Predict, 0), isAlways);
  }
}

TEST(Collections, ScalarsAreSavedWhole) {
  HookConfig config;
  config.reductionConfig.emplace().reductions = {{TensorReduction::Kind::Mean}};
  config.collections = {{.name = "losses",
                         .tensorNames = {"loss"},
                         .reductionConfig = ReductionConfig{}},
                        {.name = "weights"}};
  Collections all = collectionsOf(config);
  EXPECT_EQ(all.with("loss")->at(0)->reductions,
            ReductionConfig{.saveRawTensor = true});
  EXPECT_FALSE(all.with("loss")->at(0)->saveHistogram);
  EXPECT_EQ(all.with("weight")->at(0)->reductions, *config.reductionConfig);
}

TEST(Collections, ThoseThatCanHaveNoTensorAreNamed) {
  HookConfig config;
  config.collections = {{.name = "wieghts"}};
  EXPECT_NE(collectionsOf(config).checkFilled().message().find(
                "the collection 'wieghts' has neither a regex nor a tensor"),
            std::string::npos);
  config.collections = {{.name = "weights"}};
  EXPECT_TRUE(collectionsOf(config).checkFilled().ok());
}

TEST(Collections, AnEndlessRegexEnds) {
  HookConfig config{.includeRegex = {"^(a|aa)+$"}};
  Collections all = collectionsOf(config);
  const Status status = all.with(std::string(200, 'a') + "b").status();
  EXPECT_NE(status.message().find("the collection 'default': the regex "
                                  "'^(a|aa)+$' cannot be searched for in"),
            std::string::npos)
      << status.message();
  EXPECT_NE(status.message().find("match limit exceeded"), std::string::npos)
      << status.message();
}

} // namespace
