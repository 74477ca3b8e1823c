// SPDX-License-Identifier: Apache-2.0
#include "Convert.h"
#include "Contents.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointState.h"
#include "smp/serialization/WeightsPath.h"
#include "smp/tools/ObjectGraph.h"
#include "smp/tools/TensorBundle.h"
#include <algorithm>
#include <charconv>
#include <chrono>
#include <map>

namespace smp {

/// What tf.train.Checkpoint counts its saves with, and looks for.
static constexpr const char *kSaveCounter = "save_counter";

static std::string fileNameOf(const std::string &prefix) {
  return prefix.substr(prefix.rfind('/') + 1);
}

/// The 3 of "ckpt-3"; 0 when it has no number.
static int64_t numberOf(const std::string &prefix) {
  const std::string name = fileNameOf(prefix);
  const size_t dash = name.rfind('-');
  int64_t number = 0;
  if (dash != name.npos)
    std::from_chars(name.data() + dash + 1, name.data() + name.size(), number);
  return std::max(number, int64_t(0));
}

static Status writeBundle(NamedTensors tensors, const std::string &from,
                          const std::string &to) {
  const int64_t number = numberOf(from);
  const bool counts =
      std::ranges::any_of(tensors.tensors, [](const NamedTensor &tensor) {
        return tensor.name == kSaveCounter;
      });
  if (!counts)
    tensors.tensors.push_back(
        {kSaveCounter, {DType::I64, {}}, std::as_bytes(std::span(&number, 1))});
  std::vector<TensorToBundle> list;
  std::vector<std::string> paths;
  for (const NamedTensor &tensor : tensors.tensors) {
    list.push_back({keyOfPath(tensor.name), tensor.type, tensor.bytes, {}});
    paths.push_back(tensor.name);
  }
  list.push_back(
      {std::string(kObjectGraphKey), {}, {}, formatObjectGraph(paths)});
  return writeTensorBundle(list, to, FileSystem::uncachedDisk());
}

/// Names the checkpoint the latest of its folder, unless something else is.
static StatusOr<std::string> nameLatest(const std::string &prefix) {
  const std::string folder = parentFolder(prefix),
                    path = folder + "/checkpoint";
  uint64_t ignored = 0;
  if (FileSystem::disk().size(path, ignored) == 0)
    return "'" + path +
           "' stays as it is: set model_checkpoint_path in it to "
           "restore this one\n";
  using Seconds = std::chrono::duration<double>;
  const double now =
      Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string name = fileNameOf(prefix);
  SMP_RETURN_IF_ERROR(
      writeFile(path, formatCheckpointState({name, {name}, {now}, now - 1})));
  return std::string();
}

/// "12 tensors: 8 of model, 4 of optimizer".
static std::string describe(const NamedTensors &tensors) {
  std::map<std::string_view, size_t> counts;
  for (const NamedTensor &tensor : tensors.tensors)
    ++counts[rootOf(tensor.name)];
  std::string text = std::to_string(tensors.tensors.size()) + " tensors";
  const char *separator = ": ";
  for (const auto &[root, count] : counts) {
    text += separator + std::to_string(count) + " of " + std::string(root);
    separator = ", ";
  }
  return text;
}

StatusOr<std::string> convertCheckpoint(const ConvertOptions &options) {
  SMP_ASSIGN_OR_RETURN(const CheckpointFormat format, findFormat(options.from));
  const bool isOurs = format == CheckpointFormat::Smp;
  SMP_RETURN_IF_ERROR(refusePickle(options.to));
  if (!isPlainFileName(fileNameOf(options.to)))
    return invalidArgument("'" + options.to +
                           "' is no name of a checkpoint, "
                           "as folder/ckpt-1 is");
  Renames renames(options.root);
  if (!options.rename.empty())
    SMP_RETURN_IF_ERROR(renames.read(options.rename));
  SMP_ASSIGN_OR_RETURN(NamedTensors tensors,
                       isOurs
                           ? readCheckpoint(options.from, renames)
                           : readBundle(options.from, options.names, renames));
  SMP_RETURN_IF_ERROR(renames.checkUsed());
  std::string text = describe(tensors);
  SMP_RETURN_IF_ERROR(
      isOurs ? writeBundle(std::move(tensors), options.from, options.to)
             : writeCheckpoint(tensors, options.to));
  SMP_ASSIGN_OR_RETURN(const std::string state, nameLatest(options.to));
  return "wrote '" + options.to + "', " +
         (isOurs ? "a bundle of TensorFlow, " : "a checkpoint of smp, ") +
         text + "\n" + state;
}

} // namespace smp
