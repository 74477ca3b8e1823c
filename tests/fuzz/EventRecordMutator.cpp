// SPDX-License-Identifier: Apache-2.0
// Changes the payload of a record, and makes what surrounds it right again, so
// that what lies behind it is reached.
#include "EventFraming.h"
#include "Mutation.h"

using namespace smp;

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t most, unsigned seed) {
  const size_t around = event::kHeaderBytes + event::kFooterBytes;
  if (size < around || most < around + 1 || seed % 16 == 0)
    return LLVMFuzzerMutate(data, size, most);
  const size_t payload = LLVMFuzzerMutate(data + event::kHeaderBytes,
                                          size - around, most - around);
  const auto put = [&](size_t at, uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i)
      data[at + i] = uint8_t(value >> (8 * i));
  };
  put(0, payload, 8);
  put(8, event::maskedCrc32c(std::as_bytes(std::span(data, 8))), 4);
  put(event::kHeaderBytes + payload, event::kFooter, event::kFooterBytes);
  return around + payload;
}
