// SPDX-License-Identifier: Apache-2.0
// The configuration of the process, and the scopes of a thread.

#include "smp/import/Partition.h"
#include "BuilderState.h"
#include <mutex>

namespace smp {

namespace {

/// What init() was told, for all threads.
struct ProcessConfig {
  std::mutex lock;
  std::optional<Config> config;
};

/// Of one thread, the innermost last.
struct OpenScope {
  int64_t partition;
  Status refusal;
};

} // namespace

static ProcessConfig &processConfig() {
  static ProcessConfig config;
  return config;
}

static std::vector<OpenScope> &openScopes() {
  static thread_local std::vector<OpenScope> scopes;
  return scopes;
}

Status init(const Config &config) {
  if (std::optional<std::string> fault = checkConfig(config))
    return invalidArgument(*fault);
  std::lock_guard<std::mutex> hold(processConfig().lock);
  processConfig().config = config;
  return Status();
}

std::optional<Config> initializedConfig() {
  std::lock_guard<std::mutex> hold(processConfig().lock);
  return processConfig().config;
}

void finalize() {
  std::lock_guard<std::mutex> hold(processConfig().lock);
  processConfig().config.reset();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

/// "model.cpp:12".
static std::string toString(std::source_location where) {
  std::string_view file = where.file_name();
  return std::string(file.substr(file.find_last_of('/') + 1)) + ":" +
         std::to_string(where.line());
}

static Status checkIndex(int64_t index, std::source_location where) {
  std::optional<Config> config = initializedConfig();
  if (index >= 0 && (!config || index < config->partitions))
    return Status();
  std::string message = toString(where) + ": smp::partition(" +
                        std::to_string(index) + "): partition " +
                        std::to_string(index);
  if (!config)
    return invalidArgument(message + " cannot be; the first one is 0");
  return invalidArgument(
      message + " is not one of the " + std::to_string(config->partitions) +
      " partitions (0.." + std::to_string(config->partitions - 1) +
      ") that smp::init() was told of; choose one of them or "
      "initialise with at least " +
      std::to_string(std::max<int64_t>(index, 0) + 1));
}

PartitionScope::PartitionScope(int64_t index, Status refusal)
    : refusal(std::move(refusal)), depth(openScopes().size()) {
  openScopes().push_back({index, this->refusal});
}

PartitionScope::~PartitionScope() {
  while (openScopes().size() > depth)
    openScopes().pop_back();
}

PartitionScope partition(int64_t index, std::source_location where) {
  return PartitionScope(index, checkIndex(index, where));
}

std::vector<Tensor>
DistributedModel::operator()(GraphBuilder &builder,
                             const std::vector<Tensor> &inputs) {
  frontend::BuilderState &state = *builder.state;
  state.enterModel(name);
  std::vector<Tensor> outputs = call(builder, inputs);
  state.leaveModel();
  return outputs;
}

namespace frontend {

std::optional<int64_t> pinnedPartition() {
  if (openScopes().empty())
    return std::nullopt;
  return openScopes().back().partition;
}

Status pinRefusal() {
  return openScopes().empty() ? Status() : openScopes().back().refusal;
}

} // namespace frontend
} // namespace smp
