// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/SafetensorsIndex.h"
#include "smp/serialization/CheckpointFiles.h"
#include "smp/serialization/CheckpointRoots.h"
#include "smp/serialization/JsonTree.h"
#include <map>
#include <set>

namespace smp {

static std::string
format(const std::map<std::string, std::string> &fileOfTensor,
       uint64_t totalBytes, std::string_view owner) {
  std::string text = "{\n  \"metadata\": {\n    \"total_size\": ";
  text += std::to_string(totalBytes) + ",\n    " + jsonLiteral(kOwnerOfFile) +
          ": " + jsonLiteral(owner) + "\n  },\n  \"weight_map\": {";
  const char *separator = "";
  for (const auto &[tensor, file] : fileOfTensor) {
    text += separator;
    text += "\n    " + jsonLiteral(tensor) + ": " + jsonLiteral(file);
    separator = ",";
  }
  return text + "\n  }\n}\n";
}

std::optional<std::string>
formatSafetensorsIndex(const CheckpointManifest &manifest,
                       std::string_view owner) {
  std::map<std::string, std::string> fileOfTensor;
  std::set<uint32_t> files;
  uint64_t bytes = 0;
  for (const CheckpointManifest::Item &item : manifest.items)
    if (rootOf(item.key) == kModelRoot) {
      for (const CheckpointManifest::Slice &slice : item.slices) {
        fileOfTensor[slice.tensor] = manifest.files[slice.file].name;
        files.insert(slice.file);
      }
      bytes += uint64_t(item.type.bytes());
    }
  if (files.size() < 2)
    return std::nullopt;
  return format(fileOfTensor, bytes, owner);
}

std::string ownerOfSafetensorsIndex(std::string_view text) {
  if (text.size() > kMaxManifestBytes)
    return {};
  const auto root = parseJsonObject(text, /*deepest=*/3);
  const JsonTree *metadata = root.ok() ? root->find("metadata") : nullptr;
  const JsonTree *owner = metadata ? metadata->find(kOwnerOfFile) : nullptr;
  return owner && owner->kind == JsonTree::Kind::Text ? owner->parts->text
                                                      : std::string();
}

} // namespace smp
