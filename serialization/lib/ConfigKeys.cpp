// SPDX-License-Identifier: Apache-2.0
#include "ConfigKeys.h"
#include "smp/base/Lists.h"
#include <algorithm>
#include <string_view>

namespace smp {
namespace {

/// A key that may be given, but only with a value that asks for nothing.
struct IdleKey {
  const char *name;
  const char *value; ///< As JSON; what smp does anyway.
  const char *missing;
};

constexpr IdleKey kIdleKeys[] = {
    {"horovod", "false", "there is one replica of a model"},
    {"ddp", "false", "there is one replica of a model"},
    {"offload_activations", "false", "activations stay on their device"},
    {"activation_loading_horizon", "4", "activations stay on their device"},
    {"tensor_parallel_degree", "1", "tensors are not divided among devices"},
    {"shard_optimizer_state", "false", "there is one replica of a model"},
    {"prescaled_batch", "false", "tensors are not divided among devices"},
    {"fp16", "false", "a model keeps the element types that it has"},
    {"fp16_params", "false", "a model keeps the element types that it has"},
    {"sharded_data_parallel_degree", "1", "there is one replica of a model"},
    {"sdp_reduce_bucket_size", "5e8", "there is one replica of a model"},
    {"sdp_param_persistence_threshold", "1e6",
     "there is one replica of a model"},
    {"sdp_max_live_parameters", "1e9", "there is one replica of a model"},
    {"sdp_hierarchical_allgather", "true", "there is one replica of a model"},
    {"sdp_gradient_clipping", "1.0", "there is one replica of a model"},
};

/// Keys that are read, or whose every value is what smp does: with one replica
/// placement strategies agree, and nothing is served out of order or traced.
constexpr const char *kWorkingKeys[] = {
    "partitions",         "pipeline_parallel_degree",
    "microbatches",       "active_microbatches",
    "pipeline",           "optimize",
    "placement_strategy", "auto_partition",
    "default_partition",  "contiguous",
    "ddp_port",           "ddp_dist_backend",
    "memory_weight",      "deterministic_server",
    "load_partition",     "partition_file",
    "skip_tracing",       "memory_limit",
    "keep_pins",
};

class Reader {
public:
  explicit Reader(const Json &keys) : keys(keys) {}

  StatusOr<Config> read() {
    for (auto step :
         {&Reader::refuseUnknown, &Reader::readPartitions, &Reader::readWords,
          &Reader::readCounts, &Reader::readFlags, &Reader::readPlacement,
          &Reader::checkReplicas, &Reader::refuseIdle})
      if (Status status = (this->*step)(); !status.ok())
        return status;
    return config;
  }

private:
  const Json *find(const char *key) const {
    auto found = keys.find(key);
    return found == keys.end() ? nullptr : &*found;
  }

  static bool isInteger(const Json &value) {
    return value.is_number_integer() && !value.is_boolean() &&
           (!value.is_number_unsigned() ||
            value.get<uint64_t>() <= uint64_t(INT64_MAX));
  }

  Status refuseUnknown() {
    auto isKnown = [](const std::string &name) {
      return std::any_of(std::begin(kWorkingKeys), std::end(kWorkingKeys),
                         [&](const char *key) { return name == key; }) ||
             std::any_of(std::begin(kIdleKeys), std::end(kIdleKeys),
                         [&](const IdleKey &key) { return name == key.name; });
    };
    for (const auto &[name, value] : keys.items())
      if (!isKnown(name))
        return invalidArgument("'" + name +
                               "' is no key of the configuration; see "
                               "docs/rationale/configuration.md for those "
                               "that are");
    return Status();
  }

  Status positive(const char *key, int64_t &value) {
    const Json *given = find(key);
    if (!given)
      return Status();
    if (!isInteger(*given) || given->get<int64_t>() < 1)
      return invalidArgument(std::string("The number of ") + key +
                             " must be a positive integer.");
    value = given->get<int64_t>();
    return Status();
  }

  Status readPartitions() {
    if (!find("partitions") && !find("pipeline_parallel_degree"))
      return invalidArgument("'partitions' is a required parameter.");
    return Status();
  }

  /// Sets `index` to the place of the given word among `words`.
  Status word(const char *key, const std::vector<const char *> &words,
              std::optional<size_t> &index) {
    const Json *given = find(key);
    if (!given)
      return Status();
    size_t place = 0;
    for (const char *candidate : words) {
      if (given->is_string() && given->get<std::string>() == candidate)
        index = place;
      ++place;
    }
    if (index)
      return Status();
    return invalidArgument(std::string(key) + " must be a value in: [" +
                           listNames(words) + "].");
  }

  Status readWords() {
    std::optional<size_t> pipeline, strategy, optimize;
    constexpr PipelineKind kinds[] = {
        PipelineKind::Simple,       PipelineKind::Interleaved,
        PipelineKind::OnlyForward,  PipelineKind::ZeroBubbleH1,
        PipelineKind::ZeroBubbleH2, PipelineKind::ZeroBubbleV};
    std::vector<const char *> names;
    for (PipelineKind kind : kinds)
      names.push_back(toString(kind));
    SMP_RETURN_IF_ERROR(word("pipeline", names, pipeline));
    if (!isPermutation(find("placement_strategy")))
      SMP_RETURN_IF_ERROR(
          word("placement_strategy", {"spread", "cluster"}, strategy));
    SMP_RETURN_IF_ERROR(word("optimize", {"speed", "memory"}, optimize));
    if (pipeline)
      config.pipeline = kinds[*pipeline];
    if (optimize)
      config.optimize = *optimize == 0 ? Optimize::Speed : Optimize::Memory;
    return Status();
  }

  /// Whether the strategy is written as an order of data, pipeline and tensor.
  static bool isPermutation(const Json *strategy) {
    if (!strategy || !strategy->is_string())
      return false;
    std::string letters = strategy->get<std::string>();
    std::sort(letters.begin(), letters.end());
    return letters == "DPT";
  }

  Status readCounts() {
    SMP_RETURN_IF_ERROR(positive("microbatches", config.microbatches));
    int64_t partitions = 0, degree = 0, active = 0;
    SMP_RETURN_IF_ERROR(positive("partitions", partitions));
    SMP_RETURN_IF_ERROR(positive("pipeline_parallel_degree", degree));
    SMP_RETURN_IF_ERROR(positive("active_microbatches", active));
    if (active)
      config.activeMicrobatches = active;
    if (const Json *limit = find("memory_limit")) {
      if (!isInteger(*limit))
        return invalidArgument("memory_limit is " + limit->dump() +
                               "; it must be a number of bytes, at least 1");
      config.memoryLimit = limit->get<int64_t>();
    }
    if (partitions && degree && partitions != degree)
      return invalidArgument(
          "'partitions' is " + std::to_string(partitions) +
          " but 'pipeline_parallel_degree' is " + std::to_string(degree) +
          "; both mean the number of partitions, give one of them");
    config.partitions = partitions ? partitions : degree;
    return Status();
  }

  Status flag(const char *key, bool &value) {
    const Json *given = find(key);
    if (!given)
      return Status();
    if (!given->is_boolean())
      return invalidArgument(std::string(key) +
                             " must be a value in: [True, False].");
    value = given->get<bool>();
    return Status();
  }

  Status readFlags() {
    SMP_RETURN_IF_ERROR(flag("auto_partition", config.autoPartition));
    SMP_RETURN_IF_ERROR(flag("keep_pins", config.keepPins));
    SMP_RETURN_IF_ERROR(flag("contiguous", config.contiguous));
    SMP_RETURN_IF_ERROR(flag("load_partition", config.loadPartition));
    bool unused = false;
    for (const char *key :
         {"horovod", "ddp", "deterministic_server", "skip_tracing",
          "offload_activations", "shard_optimizer_state", "prescaled_batch",
          "fp16", "fp16_params", "sdp_hierarchical_allgather"})
      SMP_RETURN_IF_ERROR(flag(key, unused));
    if (const Json *file = find("partition_file")) {
      if (!file->is_string())
        return invalidArgument("'partition_file' must be a str.");
      config.partitionFile = file->get<std::string>();
    }
    return Status();
  }

  Status readPlacement() {
    if (const Json *given = find("default_partition")) {
      if (!isInteger(*given))
        return invalidArgument("default_partition is " + given->dump() +
                               "; it must be an integer");
      config.defaultPartition = given->get<int64_t>();
    }
    if (const Json *given = find("memory_weight"))
      config.memoryWeight = given->is_number() ? given->get<double>() : -1;
    if (std::optional<std::string> fault = checkConfig(config))
      return invalidArgument(*fault);
    return Status();
  }

  Status checkReplicas() {
    for (const char *key : {"ddp_port", "ddp_dist_backend"})
      if (find(key) && !find("ddp"))
        return invalidArgument(std::string("`") + key +
                               "` needs `ddp` to be set as well");
    if (const Json *port = find("ddp_port");
        port && (!isInteger(*port) || port->get<int64_t>() < 0))
      return invalidArgument("Invalid port number " + port->dump() + ".");
    auto isOn = [&](const char *key) {
      return find(key) && *find(key) == true;
    };
    if (isOn("horovod") && isOn("ddp"))
      return invalidArgument(
          "'ddp' and 'horovod' cannot be simultaneously enabled.");
    return Status();
  }

  Status refuseIdle() {
    for (const IdleKey &key : kIdleKeys) {
      const Json *given = find(key.name);
      Json harmless = Json::parse(key.value);
      if (given && *given != harmless)
        return invalidArgument(
            std::string("'") + key.name + "' is " + given->dump() +
            ", which does not work yet: " + key.missing +
            "; leave it out or set it to " + harmless.dump());
    }
    return Status();
  }

  const Json &keys;
  Config config;
};

} // namespace

StatusOr<Config> readKeys(const Json &parameters) {
  return Reader(parameters).read();
}

} // namespace smp
