// SPDX-License-Identifier: Apache-2.0
#include "JsonText.h"
#include "smp/capture/HookConfig.h"
#include <algorithm>

namespace smp {
namespace {

using Members = std::vector<JsonMember>;

/// Text with commas, or a list where that would be read as something else.
std::string listOf(const std::vector<std::string> &items) {
  const bool isPlain =
      std::none_of(items.begin(), items.end(), [](const std::string &item) {
        constexpr std::string_view kEnds = " \t\r\n\f\v";
        return item.empty() || item.find(',') != item.npos ||
               kEnds.find(item.front()) != kEnds.npos ||
               kEnds.find(item.back()) != kEnds.npos;
      });
  return isPlain ? jsonLiteral(join(items, ",")) : jsonList(items, jsonLiteral);
}

void addSteps(const SaveConfigMode &steps, const std::string &prefix,
              Members &members) {
  auto add = [&](const char *key, const std::optional<int64_t> &number) {
    if (number)
      members.emplace_back(prefix + key, *number == kNoEndStep
                                             ? "null"
                                             : std::to_string(*number));
  };
  add("save_interval", steps.saveInterval);
  add("start_step", steps.startStep);
  add("end_step", steps.endStep);
  if (steps.saveSteps)
    members.emplace_back(prefix + "save_steps",
                         jsonLiteral(join(*steps.saveSteps, ",")));
}

void addSaveConfig(const SaveConfig &config, Members &members) {
  addSteps(config, "", members);
  for (const ModeName &mode : kModeNames)
    addSteps(config.of(mode.mode), std::string(mode.word) + ".", members);
}

void addReductions(const std::optional<ReductionConfig> &config,
                   Members &members) {
  if (!config)
    return;
  auto name = [](const TensorReduction &reduction) {
    return toString(reduction);
  };
  members.emplace_back("reductions",
                       jsonLiteral(join(config->reductions, ",", name)));
  members.emplace_back("save_raw_tensor", jsonBoolean(config->saveRawTensor));
  members.emplace_back("save_shape", jsonBoolean(config->saveShape));
}

std::string hookParameters(const HookConfig &config) {
  Members members;
  members.emplace_back("dry_run", jsonBoolean(config.dryRun));
  if (config.microbatchesApart)
    members.emplace_back("microbatches_apart", jsonBoolean(true));
  members.emplace_back("save_all", jsonBoolean(config.saveAll));
  members.emplace_back("include_workers", jsonLiteral(config.includeWorkers));
  if (!config.includeRegex.empty())
    members.emplace_back("include_regex", listOf(config.includeRegex));
  addSaveConfig(config.saveConfig, members);
  addReductions(config.reductionConfig, members);
  members.emplace_back("export_tensorboard",
                       jsonBoolean(config.exportTensorboard));
  if (!config.tensorboardDir.empty())
    members.emplace_back("tensorboard_dir", jsonLiteral(config.tensorboardDir));
  return jsonObject(members);
}

} // namespace

std::string toJson(const CollectionConfig &config) {
  Members members;
  if (!config.includeRegex.empty())
    members.emplace_back("include_regex", listOf(config.includeRegex));
  if (!config.tensorNames.empty())
    members.emplace_back("tensor_names", listOf(config.tensorNames));
  addSaveConfig(config.saveConfig, members);
  addReductions(config.reductionConfig, members);
  if (!config.saveHistogram)
    members.emplace_back("save_histogram", jsonBoolean(false));
  return jsonObject({{"CollectionName", jsonLiteral(config.name)},
                     {"CollectionParameters", jsonObject(members)}});
}

std::string toJson(const HookConfig &config) {
  return jsonObject(
      {{"S3Path", jsonLiteral(config.s3Path)},
       {"LocalPath", jsonLiteral(config.outDir)},
       {"HookParameters", hookParameters(config)},
       {"CollectionConfigurations",
        jsonList(config.collections,
                 [](const CollectionConfig &each) { return toJson(each); })}});
}

} // namespace smp
