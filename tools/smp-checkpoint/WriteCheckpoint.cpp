// SPDX-License-Identifier: Apache-2.0
#include "NamedTensors.h"
#include "smp/base/AtomicFile.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointManifest.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/Safetensors.h"
#include <chrono>
#include <set>

namespace smp {

namespace {

class CheckpointWriting {
public:
  explicit CheckpointWriting(const std::string &prefix) : prefix(prefix) {
    using Seconds = std::chrono::duration<double>;
    manifest.time =
        Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  }

  Status write(const NamedTensors &tensors) {
    Part model{kModelSuffix, {}, {}}, state{kStateSuffix, {}, {}};
    std::set<std::string_view> roots;
    for (const NamedTensor &tensor : tensors.tensors) {
      const std::string_view root = rootOf(tensor.name);
      const bool isVariable =
          root.size() < tensor.name.size() && findRootKind(root);
      if (isVariable && roots.insert(root).second)
        manifest.roots.push_back({std::string(root), 0, "TensorFlow", {}});
      const bool isModel = isVariable && root == kModelRoot;
      Part &part = isModel ? model : state;
      part.keys.push_back(tensor.name);
      part.tensors.push_back(
          {isModel ? tensor.name.substr(root.size() + 1) : tensor.name,
           tensor.type, tensor.bytes});
    }
    Status written = writePart(model);
    if (written.ok())
      written = writePart(state);
    if (written.ok())
      written = writeFile(manifestPath(), formatCheckpointManifest(manifest));
    if (!written.ok() && !isThere())
      for (const CheckpointManifest::File &file : manifest.files)
        (void)FileSystem::disk().remove(parentFolder(prefix) + "/" + file.name);
    return written;
  }

  std::string manifestPath() const {
    return prefix + std::string(kManifestSuffix);
  }
  bool isThere() const {
    uint64_t ignored = 0;
    return FileSystem::disk().size(manifestPath(), ignored) == 0;
  }

private:
  /// What goes into one file.
  struct Part {
    std::string_view suffix;
    std::vector<SafetensorsTensor> tensors;
    std::vector<std::string> keys; // By tensor.
  };

  Status writePart(const Part &part) {
    if (part.tensors.empty())
      return Status();
    const std::string path = prefix + std::string(part.suffix);
    SMP_ASSIGN_OR_RETURN(
        FileDigest digest,
        writeSafetensors(part.tensors, {}, path, FileSystem::uncachedDisk()));
    const auto file = uint32_t(manifest.files.size());
    manifest.files.push_back(
        {path.substr(path.rfind('/') + 1), std::move(digest)});
    for (size_t i = 0; i < part.tensors.size(); ++i) {
      const SafetensorsTensor &tensor = part.tensors[i];
      manifest.items.push_back(
          {part.keys[i],
           tensor.type,
           {{file, tensor.name, wholeOf(tensor.type.shape)}}});
    }
    return Status();
  }

  const std::string &prefix;
  CheckpointManifest manifest;
};

} // namespace

Status writeCheckpoint(const NamedTensors &tensors, const std::string &prefix) {
  CheckpointWriting writing(prefix);
  if (writing.isThere())
    return failedPrecondition("'" + writing.manifestPath() +
                              "' is there already; remove that checkpoint, or "
                              "give another name");
  return writing.write(tensors);
}

} // namespace smp
