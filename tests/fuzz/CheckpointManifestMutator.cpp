// SPDX-License-Identifier: Apache-2.0
// Changes a manifest and makes its digest right again, so that what lies behind
// it is reached.
#include "Mutation.h"
#include "smp/serialization/Crc32c.h"

using namespace smp;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  std::string text(reinterpret_cast<const char *>(data), size);
  if (seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  text.resize(std::min(text.rfind("  \"crc32c\": "), text.size()));
  mutateJson(text, text.size() + 64, seed);
  text += "  \"crc32c\": " +
          std::to_string(crc32c(std::as_bytes(std::span(text)))) + "\n}\n";
  if (text.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(text.begin(), text.end(), data);
  return text.size();
}
