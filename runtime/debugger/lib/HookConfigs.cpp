// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"
#include <algorithm>

using namespace smp;
using smp::capi::nullStatus;
using smp::capi::text;
using smp::capi::toError;

void smp_hook_config::refuse(Status why) {
  if (problem.ok())
    problem = std::move(why);
}

Status smp_hook_config::check() const {
  return problem.ok() ? checkHookConfig(config) : problem;
}

/// Made where there is none, so that it is saved.
static CollectionConfig &collectionOf(HookConfig &config,
                                      std::string_view name) {
  auto &all = config.collections;
  const auto found = std::ranges::find(all, name, &CollectionConfig::name);
  return found != all.end()
             ? *found
             : all.emplace_back(CollectionConfig{.name = std::string(name)});
}

/// Of a collection, or with null of the hook.
static SaveConfig &stepsOf(smp_hook_config *config, const char *collection) {
  return collection ? collectionOf(config->config, collection).saveConfig
                    : config->config.saveConfig;
}

static ReductionConfig &reductionsOf(smp_hook_config *config,
                                     const char *collection) {
  auto &reductions =
      collection ? collectionOf(config->config, collection).reductionConfig
                 : config->config.reductionConfig;
  return reductions ? *reductions : reductions.emplace();
}

/// Whether both are there. The configuration keeps the error of `what`.
static bool areThere(smp_hook_config *config, const char *function,
                     const char *what, const void *pointer) {
  if (config && !pointer)
    config->refuse(nullStatus(function, what));
  return config && pointer;
}

static smp_error *finish(StatusOr<HookConfig> config,
                         smp_hook_config **out_config) {
  if (!config.ok())
    return toError(config.status());
  *out_config = new smp_hook_config{config.take(), {}};
  return nullptr;
}

extern "C" {

smp_hook_config *smp_hook_config_create(void) { return new smp_hook_config; }

smp_error *smp_hook_config_parse(const char *json,
                                 smp_hook_config **out_config) {
  SMP_RETURN_IF_NULL(json);
  SMP_RETURN_IF_NULL(out_config);
  return finish(parseHookConfig(json), out_config);
}

smp_error *smp_hook_config_read(const char *path,
                                smp_hook_config **out_config) {
  SMP_RETURN_IF_NULL(out_config);
  return finish(readHookConfig(text(path)), out_config);
}

void smp_hook_config_destroy(smp_hook_config *config) { delete config; }

//===-- Tensors -----------------------------------------------------------===//

void smp_hook_config_set_out_dir(smp_hook_config *config, const char *out_dir) {
  if (config)
    config->config.outDir = text(out_dir);
}

void smp_hook_config_save_all(smp_hook_config *config) {
  if (config)
    config->config.saveAll = true;
}

void smp_hook_config_include_collection(smp_hook_config *config,
                                        const char *collection) {
  if (areThere(config, "smp_hook_config_include_collection", "collection",
               collection))
    collectionOf(config->config, collection);
}

void smp_hook_config_add_include_regex(smp_hook_config *config,
                                       const char *collection,
                                       const char *include_regex) {
  if (areThere(config, "smp_hook_config_add_include_regex", "include_regex",
               include_regex))
    (collection ? collectionOf(config->config, collection).includeRegex
                : config->config.includeRegex)
        .push_back(include_regex);
}

//===-- Steps -------------------------------------------------------------===//

void smp_hook_config_set_save_interval(smp_hook_config *config,
                                       const char *collection,
                                       int64_t save_interval) {
  if (config)
    stepsOf(config, collection).saveInterval = save_interval;
}

void smp_hook_config_set_start_step(smp_hook_config *config,
                                    const char *collection,
                                    int64_t start_step) {
  if (config)
    stepsOf(config, collection).startStep = start_step;
}

void smp_hook_config_set_end_step(smp_hook_config *config,
                                  const char *collection, int64_t end_step) {
  if (config)
    stepsOf(config, collection).endStep = end_step;
}

void smp_hook_config_set_save_steps(smp_hook_config *config,
                                    const char *collection,
                                    const int64_t *save_steps, size_t count) {
  const int64_t none = 0;
  if (areThere(config, "smp_hook_config_set_save_steps", "save_steps",
               count ? save_steps : &none))
    stepsOf(config, collection)
        .saveSteps.emplace(save_steps, save_steps + count);
}

//===-- Reductions --------------------------------------------------------===//

void smp_hook_config_add_reduction(smp_hook_config *config,
                                   const char *collection,
                                   const char *reduction) {
  constexpr const char *kFunction = "smp_hook_config_add_reduction";
  if (!areThere(config, kFunction, "reduction", reduction))
    return;
  const auto parsed = parseReduction(reduction);
  if (!parsed.ok())
    return config->refuse(parsed.status().in(kFunction));
  reductionsOf(config, collection).reductions.push_back(*parsed);
}

void smp_hook_config_save_raw_tensor(smp_hook_config *config,
                                     const char *collection) {
  if (config)
    reductionsOf(config, collection).saveRawTensor = true;
}
}
