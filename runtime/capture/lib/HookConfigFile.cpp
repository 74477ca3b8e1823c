// SPDX-License-Identifier: Apache-2.0
// Configurations where the environment says that they are.
#include "Parameters.h"
#include "smp/base/FileSystem.h"
#include "smp/capture/HookConfig.h"
#include <cstdlib>
#include <unistd.h>

namespace smp {

namespace {
/// A file that a variable names, or else lies at a path of its own.
struct EnvironmentFile {
  const char *variable, *path;

  std::string name() const {
    const char *named = std::getenv(variable);
    return named ? named : path;
  }
};
constexpr EnvironmentFile kHook = {"SMDEBUG_CONFIG_FILE_PATH",
                                   "/opt/ml/input/config/debughookconfig.json"};
constexpr EnvironmentFile kTensorboard = {
    "TENSORBOARD_CONFIG_FILE_PATH",
    "/opt/ml/input/config/tensorboardoutputconfig.json"};
} // namespace

static StatusOr<std::string> readText(const std::string &file) {
  SMP_ASSIGN_OR_RETURN(const FileBytes read, FileSystem::disk().read(file));
  return std::string(reinterpret_cast<const char *>(read.bytes.data()),
                     read.bytes.size());
}

/// What {"LocalPath": "/folder"} says.
static StatusOr<std::string> parseLocalPath(const std::string &json) {
  constexpr size_t kDeepest = 2;
  SMP_ASSIGN_OR_RETURN(const JsonTree tree, parseJsonObject(json, kDeepest));
  SMP_ASSIGN_OR_RETURN(Parameters from,
                       Parameters::of(&tree, "the TensorBoard configuration"));
  SMP_ASSIGN_OR_RETURN(const auto folder, from.text("LocalPath"));
  return folder.value_or("");
}

/// In a job of SageMaker that file alone says where TensorBoard's files go.
static Status readTensorboard(HookConfig &config) {
  config.exportTensorboard = false;
  config.tensorboardDir.clear();
  const std::string file = kTensorboard.name();
  if (::access(file.c_str(), F_OK) != 0)
    return Status();
  SMP_ASSIGN_OR_RETURN(const std::string text, readText(file));
  SMP_ASSIGN_OR_RETURN(config.tensorboardDir,
                       parseLocalPath(text).in("'" + file + "'"));
  config.exportTensorboard = !config.tensorboardDir.empty();
  return Status();
}

bool hasHookConfig() {
  return std::getenv(kHook.variable) || ::access(kHook.path, F_OK) == 0;
}

StatusOr<HookConfig> readHookConfig(const std::string &path) {
  const std::string file = path.empty() ? kHook.name() : path;
  SMP_ASSIGN_OR_RETURN(const std::string text, readText(file));
  SMP_ASSIGN_OR_RETURN(HookConfig config,
                       parseHookConfig(text).in("'" + file + "'"));
  if (std::getenv("TRAINING_JOB_NAME"))
    SMP_RETURN_IF_ERROR(readTensorboard(config));
  return config;
}

} // namespace smp
