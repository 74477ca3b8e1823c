// SPDX-License-Identifier: Apache-2.0
// What becomes of the bytes of a bundle of TensorFlow: an error that says what
// is wrong, or tensors. An input is the length of the index in four bytes, the
// index, and data, which every shard has. The data are read as a graph of
// objects, too.
#include "smp/tools/TensorBundle.h"
#include "smp/tools/ObjectGraph.h"
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static void readTensor(const TensorBundle &bundle, const BundleTensor &tensor) {
  require(bundle.find(tensor.key) == &tensor);
  const Status checked = bundle.check(tensor);
  const auto read = bundle.read(tensor);
  require(checked.ok() || !read.ok());
  if (read.ok()) {
    const TensorType type{*fromTensorFlow(tensor.type), tensor.shape};
    require(int64_t(read->bytes.size()) == type.bytes());
    // Every byte is there.
    volatile uint8_t sum = 0;
    for (const std::byte byte : read->bytes)
      sum = uint8_t(sum + uint8_t(byte));
  } else {
    require(!read.status().message().empty());
  }
  const auto texts = bundle.readTexts(tensor);
  require(!texts.ok() || int64_t(texts->size()) == numElements(tensor.shape));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  uint32_t length = 0;
  if (size < sizeof(length))
    return 0;
  std::memcpy(&length, data, sizeof(length));
  size -= sizeof(length);
  data += sizeof(length);
  if (length > size)
    return 0;
  // In memory of their own, so that a byte too far is seen.
  const std::string index(reinterpret_cast<const char *>(data), length);
  const std::vector<uint8_t> rest(data + length, data + size);
  const auto shard = std::as_bytes(std::span(rest));
  const std::span<const std::byte> shards[] = {shard, shard};
  const auto bundle = TensorBundle::parse(index, shards, "bundle");
  if (bundle.ok())
    for (const BundleTensor &tensor : bundle->tensors())
      readTensor(*bundle, tensor);
  else
    require(!bundle.status().message().empty());
  const auto graph = readObjectGraph(
      {reinterpret_cast<const char *>(rest.data()), rest.size()});
  require(graph.ok() || !graph.status().message().empty());
  return 0;
}
