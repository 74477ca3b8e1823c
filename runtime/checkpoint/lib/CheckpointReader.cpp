// SPDX-License-Identifier: Apache-2.0
#include "CheckpointReader.h"
#include "Keys.h"
#include "smp/serialization/Crc32c.h"

namespace smp {

static std::string_view textOf(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

StatusOr<CheckpointReader> CheckpointReader::open(const std::string &path,
                                                  FileSystem &files) {
  const std::string name = path + std::string(kManifestSuffix);
  StatusOr<MappedFile> file = MappedFile::open(name, files);
  if (!file.ok())
    return dataLoss("there is no complete checkpoint '" + path +
                    "': " + file.status().message());
  CheckpointReader reader;
  SMP_ASSIGN_OR_RETURN(reader.contents,
                       parseCheckpointManifest(textOf(file->bytes())).in(name));
  reader.bytes.resize(reader.contents.items.size());
  const std::string folder = path.substr(0, path.rfind('/') + 1);
  for (uint32_t i = 0; i < reader.contents.files.size(); ++i)
    SMP_RETURN_IF_ERROR(reader.openFile(folder, i, files));
  return reader;
}

Status CheckpointReader::openFile(const std::string &folder, uint32_t index,
                                  FileSystem &system) {
  const CheckpointManifest::File &expected = contents.files[index];
  const std::string path = folder + expected.name;
  StatusOr<MappedFile> file = MappedFile::open(path, system);
  if (!file.ok())
    return dataLoss("the checkpoint lacks a file: " + file.status().message());
  const std::span<const std::byte> content = file->bytes();
  if (content.size() != expected.size)
    return dataLoss(path + ": it has " + std::to_string(content.size()) +
                    " bytes, of " + std::to_string(expected.size) +
                    " that were written");
  if (const uint32_t digest = crc32c(content); digest != expected.crc32c)
    return dataLoss(path + ": its CRC-32C is " + std::to_string(digest) +
                    "; that of what was written is " +
                    std::to_string(expected.crc32c));
  SMP_ASSIGN_OR_RETURN(Safetensors tensors,
                       Safetensors::parse(content).in(path));
  SMP_RETURN_IF_ERROR(checkItems(index, tensors).in(path));
  files.push_back(file.take());
  return Status();
}

/// The manifest and the file say the same.
Status CheckpointReader::checkItems(uint32_t file, const Safetensors &tensors) {
  size_t found = 0;
  for (size_t i = 0; i < contents.items.size(); ++i) {
    const CheckpointManifest::Item &item = contents.items[i];
    if (item.file != file)
      continue;
    const SafetensorsTensor *tensor = tensors.find(item.tensor);
    if (!tensor)
      return dataLoss("it has no tensor '" + item.tensor +
                      "', which the manifest has as '" + item.key + "'");
    if (!(tensor->type == item.type))
      return dataLoss("tensor '" + item.tensor + "' is a " +
                      toString(tensor->type) + "; the manifest has a " +
                      toString(item.type));
    bytes[i] = tensor->bytes;
    ++found;
  }
  if (found != tensors.tensors().size())
    return dataLoss("it has " + std::to_string(tensors.tensors().size()) +
                    " tensors; the manifest has " + std::to_string(found));
  return Status();
}

std::span<const std::byte>
CheckpointReader::bytesOf(const CheckpointManifest::Item &item) const {
  return bytes[size_t(&item - contents.items.data())];
}

} // namespace smp
