// SPDX-License-Identifier: Apache-2.0
// Changes a text so that it mostly stays JSON.
#include "Mutation.h"

using namespace smp;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, most);
  mutateJson(text, text.size() + 64, seed);
  if (text.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
