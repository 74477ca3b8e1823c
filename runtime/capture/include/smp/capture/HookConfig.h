// SPDX-License-Identifier: Apache-2.0
// What a hook captures, and where it is written: in C++, and as the JSON of
// SageMaker Debugger. Since 0.1.

#ifndef SMP_CAPTURE_HOOKCONFIG_H
#define SMP_CAPTURE_HOOKCONFIG_H

#include "smp/capture/ReductionConfig.h"
#include "smp/capture/SaveConfig.h"

namespace smp {

/// A group of tensors, and what is saved of them when.
struct CollectionConfig {
  std::string name;
  /// Regexes of PCRE2: a tensor is in the collection when one is found anywhere
  /// in its name. They count beside those that smp has for the name.
  std::vector<std::string> includeRegex = {};
  /// Names that are in it whatever the regexes say. A key of smp in JSON:
  /// "tensor_names".
  std::vector<std::string> tensorNames = {};
  SaveConfig saveConfig = {};
  /// Not said: the hook's.
  std::optional<ReductionConfig> reductionConfig = {};
  /// Whether TensorBoard, where it is exported to, gets histograms of its
  /// tensors: a step then shows their values where else statistics would do.
  /// Collections of numbers and "tensorflow_summaries" have none.
  bool saveHistogram = true;
  bool operator==(const CollectionConfig &) const = default;
};

struct HookConfig {
  /// The folder that is written; empty: none, what is captured stays in memory.
  /// One from the working folder on, as `tensorboardDir`, is where that is when
  /// the hook is attached, wherever the process goes later.
  std::string outDir = {};
  /// Kept, and said in a warning: smp uploads nothing.
  std::string s3Path = {};
  /// Nothing is written.
  bool dryRun = false;
  /// Every tensor is saved.
  bool saveAll = false;
  /// "one": the hook of rank 0 writes what all ranks show, which is sent to
  /// it, as worker_0; hooks of other ranks want nothing and write nothing.
  /// "all": that of each rank writes, as worker_<rank>, what its partitions
  /// show, and the outputs that it has (SessionOptions::wantedOutputs).
  std::string includeWorkers = "one";
  /// Of what several microbatches of a step have each its own is written under
  /// a name of its own, "y/microbatch_0" and so on; else joined, under that of
  /// the tensor. A key of smp: "microbatches_apart".
  bool microbatchesApart = false;
  /// Those of the collection "default", which is saved where there are some.
  std::vector<std::string> includeRegex = {};
  SaveConfig saveConfig = {};
  /// Not said: tensors are saved whole.
  std::optional<ReductionConfig> reductionConfig = {};
  /// TensorBoard's files are written beside the others, to `tensorboardDir`, or
  /// where that is empty to `outDir`/tensorboard: numbers of "losses",
  /// "metrics" and the like, as their mean, and histograms. A `tensorboardDir`
  /// is written to in any case.
  bool exportTensorboard = false;
  std::string tensorboardDir = {};
  /// Those that are saved, beside "losses", "metrics" and "sm_metrics", which
  /// always are: set endStep to 0 where that is not wanted.
  std::vector<CollectionConfig> collections = {};
  bool operator==(const HookConfig &) const = default;
};

/// Reads the configuration that SageMaker Debugger has as JSON. Numbers and
/// booleans may stand as text; lists are text with commas, or lists. A key, a
/// reduction or a mode that is unknown is an error, as is everything that
/// checkHookConfig() finds.
SMP_API StatusOr<HookConfig> parseHookConfig(std::string_view json);

/// The same of one collection, which an item of "CollectionConfigurations" is:
///   {"CollectionName": "weights",
///    "CollectionParameters": {"save_interval": 1}}
SMP_API StatusOr<CollectionConfig> parseCollectionConfig(std::string_view json);

/// The same from a file: `path`, or the one that the environment variable
/// SMDEBUG_CONFIG_FILE_PATH names, or
/// /opt/ml/input/config/debughookconfig.json. Where TRAINING_JOB_NAME is set,
/// the tensorboardDir is the "LocalPath" of another one, which
/// TENSORBOARD_CONFIG_FILE_PATH names, or
/// /opt/ml/input/config/tensorboardoutputconfig.json; none where that is not
/// there.
SMP_API StatusOr<HookConfig> readHookConfig(const std::string &path = {});

/// Whether the environment says which file it is, or the default one is there.
SMP_API bool hasHookConfig();

/// Whether files for TensorBoard are to be written.
inline bool exportsTensorboard(const HookConfig &config) {
  return config.exportTensorboard || !config.tensorboardDir.empty();
}

/// JSON of which parseHookConfig() and parseCollectionConfig() make the same
/// again.
SMP_API std::string toJson(const HookConfig &config);
SMP_API std::string toJson(const CollectionConfig &config);

/// Fails for what no hook can do: intervals below 1, malformed regexes, the
/// same collection twice, collections that can have no tensor, TensorBoard
/// without a folder for the hook.
SMP_API Status checkHookConfig(const HookConfig &config);

} // namespace smp

#endif // SMP_CAPTURE_HOOKCONFIG_H
