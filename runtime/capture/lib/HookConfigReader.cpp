// SPDX-License-Identifier: Apache-2.0
#include "Parameters.h"
#include "smp/base/Quote.h"
#include "smp/capture/HookConfig.h"

namespace smp {
namespace {

constexpr size_t kMostBytes = 1 << 20;
constexpr size_t kDeepest = 8;
constexpr const char *kDefaultOutDir = "/opt/ml/output/tensors";

Status readSteps(Parameters &from, const std::string &prefix,
                 SaveConfigMode &steps) {
  const StepSelection defaults;
  SMP_ASSIGN_OR_RETURN(steps.saveInterval, from.number(prefix + "save_interval",
                                                       defaults.saveInterval));
  SMP_ASSIGN_OR_RETURN(steps.startStep,
                       from.number(prefix + "start_step", defaults.startStep));
  SMP_ASSIGN_OR_RETURN(steps.endStep,
                       from.number(prefix + "end_step", defaults.endStep));
  SMP_ASSIGN_OR_RETURN(steps.saveSteps, from.numbers(prefix + "save_steps"));
  return Status();
}

Status readSaveConfig(Parameters &from, SaveConfig &config) {
  SMP_RETURN_IF_ERROR(readSteps(from, "", config));
  for (const ModeName &mode : kModeNames)
    SMP_RETURN_IF_ERROR(
        readSteps(from, std::string(mode.word) + ".", config.of(mode.mode)));
  return Status();
}

StatusOr<std::optional<ReductionConfig>> readReductions(Parameters &from) {
  SMP_ASSIGN_OR_RETURN(const auto names, from.texts("reductions"));
  SMP_ASSIGN_OR_RETURN(const auto raw, from.boolean("save_raw_tensor"));
  SMP_ASSIGN_OR_RETURN(const auto shape, from.boolean("save_shape"));
  if (!names) {
    if (raw || shape)
      return from.wrong(raw ? "save_raw_tensor" : "save_shape",
                        "counts only beside 'reductions'; add \"reductions\": "
                        "\"\" to save no reduction");
    return std::optional<ReductionConfig>();
  }
  ReductionConfig config;
  for (const std::string &name : *names) {
    if (name.empty())
      continue;
    SMP_ASSIGN_OR_RETURN(config.reductions.emplace_back(),
                         parseReduction(name).in("'reductions'"));
  }
  config.saveRawTensor = raw.value_or(false);
  config.saveShape = shape.value_or(false);
  return std::optional(std::move(config));
}

Status readHookParameters(const JsonTree *tree, HookConfig &config) {
  SMP_ASSIGN_OR_RETURN(Parameters from,
                       Parameters::of(tree, "'HookParameters'"));
  SMP_RETURN_IF_ERROR(readSaveConfig(from, config.saveConfig));
  SMP_ASSIGN_OR_RETURN(config.reductionConfig, readReductions(from));
  SMP_ASSIGN_OR_RETURN(const auto dryRun, from.boolean("dry_run"));
  SMP_ASSIGN_OR_RETURN(const auto apart, from.boolean("microbatches_apart"));
  SMP_ASSIGN_OR_RETURN(const auto saveAll, from.boolean("save_all"));
  SMP_ASSIGN_OR_RETURN(const auto workers, from.text("include_workers"));
  SMP_ASSIGN_OR_RETURN(auto regexes, from.texts("include_regex"));
  SMP_ASSIGN_OR_RETURN(const auto exports, from.boolean("export_tensorboard"));
  SMP_ASSIGN_OR_RETURN(const auto folder, from.text("tensorboard_dir"));
  config.dryRun = dryRun.value_or(false);
  config.microbatchesApart = apart.value_or(false);
  config.saveAll = saveAll.value_or(false);
  config.includeWorkers = workers.value_or("one");
  config.includeRegex = regexes ? std::move(*regexes) : config.includeRegex;
  config.exportTensorboard = exports.value_or(false);
  config.tensorboardDir = folder.value_or("");
  return from.checkAllRead();
}

/// `where` is how messages call it.
StatusOr<CollectionConfig> readCollection(const JsonTree &tree,
                                          const std::string &where) {
  SMP_ASSIGN_OR_RETURN(Parameters outer, Parameters::of(&tree, where));
  SMP_ASSIGN_OR_RETURN(const auto name, outer.text("CollectionName"));
  const JsonTree *parameters = outer.find("CollectionParameters");
  SMP_RETURN_IF_ERROR(outer.checkAllRead());
  if (!name)
    return invalidArgument(where + " has no 'CollectionName'; give it one");
  SMP_ASSIGN_OR_RETURN(
      Parameters from,
      Parameters::of(parameters, "the collection " + quote(*name)));
  CollectionConfig config{.name = *name};
  SMP_RETURN_IF_ERROR(readSaveConfig(from, config.saveConfig));
  SMP_ASSIGN_OR_RETURN(config.reductionConfig, readReductions(from));
  SMP_ASSIGN_OR_RETURN(auto regexes, from.texts("include_regex"));
  SMP_ASSIGN_OR_RETURN(auto tensors, from.texts("tensor_names"));
  SMP_ASSIGN_OR_RETURN(const auto histogram, from.boolean("save_histogram"));
  if (regexes)
    config.includeRegex = std::move(*regexes);
  if (tensors)
    config.tensorNames = std::move(*tensors);
  config.saveHistogram = histogram.value_or(true);
  SMP_RETURN_IF_ERROR(from.checkAllRead());
  return config;
}

Status readCollections(const JsonTree *list, HookConfig &config) {
  if (!list || list->kind == JsonTree::Kind::Null)
    return Status();
  if (list->kind != JsonTree::Kind::List)
    return invalidArgument("'CollectionConfigurations' must be a list");
  for (const JsonTree &item : list->values()) {
    SMP_ASSIGN_OR_RETURN(
        config.collections.emplace_back(),
        readCollection(item, "an item of 'CollectionConfigurations'"));
  }
  return Status();
}

/// `where` is how messages call it.
StatusOr<JsonTree> parseText(std::string_view json, const std::string &where) {
  if (json.size() > kMostBytes)
    return invalidArgument(where + " has " + std::to_string(json.size()) +
                           " bytes; it may have at most " +
                           std::to_string(kMostBytes));
  StatusOr<JsonTree> tree = parseJsonObject(json, kDeepest);
  if (!tree.ok())
    return invalidArgument(where + ": " + tree.status().message());
  return tree;
}

} // namespace

StatusOr<CollectionConfig> parseCollectionConfig(std::string_view json) {
  const std::string where = "the collection's configuration";
  SMP_ASSIGN_OR_RETURN(const JsonTree tree, parseText(json, where));
  SMP_ASSIGN_OR_RETURN(CollectionConfig config, readCollection(tree, where));
  SMP_RETURN_IF_ERROR(checkHookConfig({.collections = {config}}));
  return config;
}

StatusOr<HookConfig> parseHookConfig(std::string_view json) {
  const std::string where = "the hook's configuration";
  SMP_ASSIGN_OR_RETURN(const JsonTree tree, parseText(json, where));
  SMP_ASSIGN_OR_RETURN(Parameters from, Parameters::of(&tree, where));
  HookConfig config;
  SMP_ASSIGN_OR_RETURN(const auto outDir, from.text("LocalPath"));
  SMP_ASSIGN_OR_RETURN(const auto s3Path, from.text("S3Path"));
  config.outDir = outDir.value_or(kDefaultOutDir);
  config.s3Path = s3Path.value_or("");
  SMP_RETURN_IF_ERROR(readHookParameters(from.find("HookParameters"), config));
  SMP_RETURN_IF_ERROR(
      readCollections(from.find("CollectionConfigurations"), config));
  SMP_RETURN_IF_ERROR(from.checkAllRead());
  SMP_RETURN_IF_ERROR(checkHookConfig(config));
  return config;
}

} // namespace smp
