// SPDX-License-Identifier: Apache-2.0
// Changes models as messages, and now and then as bytes.
#include "ModelMutator.h"
#include <cstring>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  onnx::ModelProto model;
  if (seed % 8 == 0 || !model.ParseFromArray(data, int(size)))
    return LLVMFuzzerMutate(data, size, most);
  smp::ModelMutator(seed).mutate(model);
  const std::string bytes = model.SerializeAsString();
  if (bytes.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
