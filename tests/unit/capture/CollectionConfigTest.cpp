// SPDX-License-Identifier: Apache-2.0
// The configuration of one collection is the item that a hook's has of it.
#include "smp/capture/HookConfig.h"
#include <gtest/gtest.h>

using namespace smp;

namespace {

CollectionConfig parsed(const std::string &json) {
  StatusOr<CollectionConfig> config = parseCollectionConfig(json);
  EXPECT_TRUE(config.ok()) << json << ": " << config.status().message();
  return config.ok() ? config.take() : CollectionConfig();
}

std::string mineWith(const std::string &parameters) {
  return "{\"CollectionName\": \"mine\", \"CollectionParameters\": {" +
         parameters + "}}";
}

constexpr const char *kWhole =
    R"("include_regex": "fc.*, relu", "tensor_names": "x, y",
       "save_interval": "10", "eval.save_steps": [3, "7"],
       "reductions": "mean,abs_l1_norm", "save_shape": true,
       "save_histogram": "false")";

TEST(CollectionConfig, IsReadFromJson) {
  const CollectionConfig config = parsed(mineWith(kWhole));
  CollectionConfig expected{.name = "mine",
                            .includeRegex = {"fc.*", "relu"},
                            .tensorNames = {"x", "y"},
                            .saveConfig = {{.saveInterval = 10}},
                            .saveHistogram = false};
  expected.saveConfig.of(Mode::Eval).saveSteps = std::vector<int64_t>{3, 7};
  using Kind = TensorReduction::Kind;
  expected.reductionConfig = ReductionConfig{
      .reductions = {{Kind::Mean}, {Kind::L1, true}}, .saveShape = true};
  EXPECT_EQ(config, expected);
  EXPECT_EQ(parsed("{\"CollectionName\": \"mine\"}"),
            CollectionConfig{.name = "mine"});
}

TEST(CollectionConfig, IsAnItemOfAHooks) {
  const std::string json = mineWith(kWhole);
  const auto hook =
      parseHookConfig("{\"CollectionConfigurations\": [" + json + "]}");
  ASSERT_TRUE(hook.ok()) << hook.status().message();
  EXPECT_EQ(hook->collections, std::vector{parsed(json)});
  EXPECT_NE(toJson(*hook).find(toJson(parsed(json))), std::string::npos);
}

TEST(CollectionConfig, IsWrittenAndReadAgain) {
  CollectionConfig odd{.name = "ü \"x\"",
                       .includeRegex = {"a,b", "\\d{2,3}"},
                       .tensorNames = {" x", "a,b"}};
  odd.saveConfig.endStep = kNoEndStep;
  odd.saveConfig.of(Mode::Global).saveSteps.emplace();
  odd.reductionConfig.emplace();
  for (const CollectionConfig &config :
       {parsed(mineWith(kWhole)), parsed(mineWith("")), odd})
    EXPECT_EQ(parsed(toJson(config)), config) << toJson(config);
}

TEST(CollectionConfig, WhatIsWrongIsNamed) {
  const std::pair<std::string, std::string> cases[] = {
      {"[]", "the collection's configuration: it is no JSON object"},
      {std::string((1 << 20) + 1, ' '),
       "the collection's configuration has 1048577 bytes; it may have at most "
       "1048576"},
      {"{}", "the collection's configuration has no 'CollectionName'; give"},
      {"{\"CollectionName\": \"\"}", "a collection has no name; give it one"},
      {"{\"CollectionName\": \"a\", \"Parameters\": {}}",
       "'Parameters' in the collection's configuration is unknown"},
      {mineWith("\"save_all\": true"),
       "'save_all' in the collection 'mine' is unknown"},
      {mineWith("\"save_interval\": 0"),
       "the collection 'mine': 'save_interval' is 0; it must be 1 or more"},
      {mineWith("\"include_regex\": \"(\""), "the regex '(' is malformed"},
      {mineWith("\"reductions\": \"l1\""), "reduction 'l1' is none of"},
      {mineWith("\"tensor_names\": 3"),
       "'tensor_names' in the collection 'mine' is 3; it must be a text with"},
      {mineWith("\"tensor_names\": \"a,,b\""),
       "a tensor of the collection 'mine' has no name; leave it out"},
  };
  for (const auto &[json, message] : cases) {
    const Status status = parseCollectionConfig(json).status();
    EXPECT_NE(status.message().find(message), std::string::npos)
        << json.substr(0, 100) << ": " << status.message();
  }
}

} // namespace
