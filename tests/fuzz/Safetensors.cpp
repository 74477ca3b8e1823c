// SPDX-License-Identifier: Apache-2.0
// What becomes of the bytes of a safetensors file: an error that says what is
// wrong, or tensors that are the same when they were written and read again.
#include "smp/serialization/Safetensors.h"
#include <algorithm>
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

static bool areEqual(const SafetensorsTensor &one,
                     const SafetensorsTensor &other) {
  return one.name == other.name && one.type == other.type &&
         std::ranges::equal(one.bytes, other.bytes);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of their own, so that a byte too far is seen.
  const std::vector<uint8_t> file(data, data + size);
  const auto bytes = std::as_bytes(std::span(file));
  const auto read = Safetensors::parse(bytes);
  if (!read.ok()) {
    require(!read.status().message().empty());
    return 0;
  }
  uint64_t covered = safetensorsHeaderBytes(bytes);
  for (const SafetensorsTensor &tensor : read->tensors()) {
    require(read->find(tensor.name) == &tensor &&
            int64_t(tensor.bytes.size()) == tensor.type.bytes());
    covered += tensor.bytes.size();
  }
  require(covered == size);
  const auto written = serializeSafetensors(read->tensors(), read->metadata());
  require(written.ok());
  const auto again = Safetensors::parse(*written);
  require(again.ok() && again->metadata() == read->metadata() &&
          std::ranges::equal(again->tensors(), read->tensors(), areEqual));
  return 0;
}
