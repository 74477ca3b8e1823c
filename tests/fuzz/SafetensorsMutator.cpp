// SPDX-License-Identifier: Apache-2.0
// Changes the header of a safetensors file or its data, and makes the header's
// length right again, so that what lies behind it is reached.
#include "Mutation.h"
#include "smp/serialization/Safetensors.h"

using namespace smp;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  const uint64_t headerBytes =
      safetensorsHeaderBytes(std::as_bytes(std::span(data, size)));
  if (headerBytes == 0 || seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const auto *text = reinterpret_cast<const char *>(data);
  std::string header(text + 8, text + headerBytes),
      rest(text + headerBytes, text + size);
  if (seed % 4 == 1)
    mutate(rest, rest.size() + 64);
  else
    mutateJson(header, header.size() + 64, seed);
  std::string file(8, '\0');
  for (size_t i = 0; i < 8; ++i)
    file[i] = char(uint64_t(header.size()) >> (8 * i));
  file += header + rest;
  if (file.size() > most)
    return LLVMFuzzerMutate(data, size, most);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}
