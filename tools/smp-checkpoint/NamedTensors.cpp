// SPDX-License-Identifier: Apache-2.0
#include "NamedTensors.h"
#include "Blocks.h"
#include "smp/base/Quote.h"

namespace smp {

/// The key in a bundle, which has no other name for it sometimes.
static const std::string &whereOf(const TensorEntry &tensor) {
  return tensor.key.empty() ? tensor.name : tensor.key;
}

StatusOr<std::vector<NamedTensor>> nameTensors(StoredTensors &source,
                                               const std::string &prefix,
                                               Renames &renames) {
  std::vector<NamedTensor> tensors;
  std::map<std::string, const TensorEntry *> byName;
  for (size_t i = 0; i < source.tensors().size(); ++i) {
    const TensorEntry &entry = source.tensors()[i];
    const std::optional<std::string> name = renames.apply(entry.name);
    if (!name)
      continue;
    const auto [other, isNew] = byName.emplace(*name, &entry);
    if (!isNew)
      return invalidArgument(prefix + ": the tensors " +
                             quote(whereOf(*other->second)) + " and " +
                             quote(whereOf(entry)) + " would both be called " +
                             quote(*name) + "; rename one with --rename");
    SMP_ASSIGN_OR_RETURN(const auto type, source.typeOf(i));
    if (!type)
      return invalidArgument(
          prefix + ": " + quote(*name) + " is " + entry.dtype + " of shape " +
          toString(entry.shape) +
          ", which a checkpoint of smp cannot have; leave it out with --rename "
          "and {\"" +
          renames.nameInFile(entry.name) + "\": null}");
    tensors.push_back({*name, *type, [&source, i](const auto &box, auto bytes) {
                         return source.read(i, box, bytes);
                       }});
  }
  return tensors;
}

ByteSource bytesOf(const NamedTensor &tensor, TensorSlice box, Watch &watch) {
  return [&tensor, box = std::move(box), &watch](const ByteSink &sink) {
    const size_t elementBytes = sizeOf(tensor.type.dtype);
    std::vector<std::byte> bytes;
    return forEachBlock(box, elementBytes, [&](const TensorSlice &block) {
      bytes.resize(size_t(numElements(block.extent)) * elementBytes);
      SMP_RETURN_IF_ERROR(tensor.read(block, bytes));
      SMP_RETURN_IF_ERROR(sink(bytes));
      return watch.advance(bytes.size(), tensor.name);
    });
  };
}

uint64_t totalBytes(std::span<const NamedTensor> tensors) {
  uint64_t sum = 0;
  for (const NamedTensor &tensor : tensors)
    sum += uint64_t(tensor.type.bytes());
  return sum;
}

} // namespace smp
