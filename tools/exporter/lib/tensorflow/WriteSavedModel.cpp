// SPDX-License-Identifier: Apache-2.0
#include "ToSavedModel.h"
#include "smp/base/AtomicFile.h"
#include "smp/base/MakeFolders.h"
#include "smp/tools/ExportSavedModel.h"
#include "smp/tools/TensorBundle.h"
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace smp {

using tensorflow::Weight;

/// The most that protobuf reads.
static constexpr uint64_t kMostMessageBytes = INT32_MAX;

static StatusOr<std::string>
serialize(const proto::tensorflow::SavedModel &message) {
  if (const uint64_t bytes = message.ByteSizeLong(); bytes > kMostMessageBytes)
    return resourceExhausted("the SavedModel would have " +
                             std::to_string(bytes) +
                             " bytes without its weights, of at most " +
                             std::to_string(kMostMessageBytes));
  return message.SerializeAsString();
}

StatusOr<std::string> serializeSavedModel(const ExportedModel &model) {
  proto::tensorflow::SavedModel message;
  SMP_RETURN_IF_ERROR(tensorflow::toSavedModel(model, message).status());
  return serialize(message);
}

namespace {

/// A folder under a temporary name, which is removed unless it gets its own.
class NewFolder {
public:
  explicit NewFolder(std::string path) : path(std::move(path)) {}
  NewFolder(const NewFolder &) = delete;
  NewFolder &operator=(const NewFolder &) = delete;
  ~NewFolder() {
    std::error_code ignored;
    if (!temporary.empty())
      std::filesystem::remove_all(temporary, ignored);
  }

  /// Makes the folders above it, too. Fails where something has the name.
  Status make() {
    std::vector<std::string> names;
    const int error = files.list(path, names);
    if (error == ENOTDIR || (error == 0 && !names.empty()))
      return failedPrecondition("'" + path +
                                "' is there already and is not replaced; "
                                "remove it, or give another name");
    if (error != 0 && error != ENOENT)
      return failed("make the folder", error);
    SMP_RETURN_IF_ERROR(makeFolders(files, parentFolder(path)));
    std::string name;
    int failure;
    do { // EEXIST: left by a process with our number that was killed.
      name = temporaryName(path);
      failure = files.makeFolder(name);
    } while (failure == EEXIST);
    if (failure)
      return failed("make the folder", failure);
    temporary = std::move(name);
    return Status();
  }

  StatusOr<std::string> makeFolder(const std::string &name) {
    std::string folder = pathOf(name);
    if (const int error = files.makeFolder(folder))
      return failed("make the folder", error);
    return folder;
  }

  std::string pathOf(const std::string &name) const {
    return temporary + "/" + name;
  }

  Status commit() {
    if (const int error = files.syncFolder(temporary))
      return failed("write", error);
    if (const int error = files.rename(temporary, path))
      return failed("make the folder", error);
    temporary.clear();
    const int error = files.syncFolder(parentFolder(path));
    return error ? failed("write", error) : Status();
  }

private:
  Status failed(const char *what, int error) const {
    return unavailable(std::string("cannot ") + what + " '" + path +
                       "': " + std::strerror(error));
  }

  FileSystem &files = FileSystem::disk();
  const std::string path;
  std::string temporary; // Empty: not made, or it has its name.
};

} // namespace

static Status writeVariables(const std::vector<Weight> &weights,
                             NewFolder &folder) {
  SMP_ASSIGN_OR_RETURN(const std::string variables,
                       folder.makeFolder("variables"));
  std::vector<TensorToBundle> tensors;
  for (const Weight &weight : weights)
    tensors.push_back({weight.key, weight.type, weight.bytes, {}});
  return writeTensorBundle(tensors, variables + "/variables",
                           FileSystem::uncachedDisk());
}

Status writeSavedModel(const ExportedModel &model, const std::string &path) {
  std::string name = path;
  while (name.size() > 1 && name.back() == '/')
    name.pop_back();
  proto::tensorflow::SavedModel message;
  SMP_ASSIGN_OR_RETURN(const auto weights,
                       tensorflow::toSavedModel(model, message));
  SMP_ASSIGN_OR_RETURN(const std::string bytes, serialize(message));
  NewFolder folder(name);
  SMP_RETURN_IF_ERROR(folder.make());
  if (!weights.empty())
    SMP_RETURN_IF_ERROR(writeVariables(weights, folder).in(name));
  SMP_RETURN_IF_ERROR(
      writeFile(folder.pathOf("saved_model.pb"), bytes).in(name));
  return folder.commit();
}

} // namespace smp
