// SPDX-License-Identifier: Apache-2.0
#include "PackedValue.h"
#include <algorithm>

namespace smp {

namespace {
struct Header {
  DType dtype;
  uint64_t rank, bytes;
};
} // namespace

static size_t padded(size_t bytes) { return (bytes + 7) / 8 * 8; }

GivenValue joined(const OutputTensor &output) {
  const bool isStacked = output.batchAxis < 0 && output.microbatches > 1;
  const uint32_t count = isStacked ? output.microbatches : 1;
  const auto *data = static_cast<const std::byte *>(
      isStacked ? output.microbatch(0) : output.data);
  return {output.dtype,
          isStacked ? count : 0,
          output.shape,
          {data, output.bytes * count}};
}

size_t packedBytes(const GivenValue &value) {
  return sizeof(Header) + value.rank() * sizeof(int64_t) +
         padded(value.bytes.size());
}

std::byte *pack(const GivenValue &value, std::byte *to) {
  *reinterpret_cast<Header *>(to) = {value.dtype, value.rank(),
                                     value.bytes.size()};
  auto *sizes = reinterpret_cast<int64_t *>(to + sizeof(Header));
  if (value.stacked)
    *sizes++ = value.stacked;
  sizes = std::copy(value.shape.begin(), value.shape.end(), sizes);
  auto *bytes = reinterpret_cast<std::byte *>(sizes);
  std::copy(value.bytes.begin(), value.bytes.end(), bytes);
  return bytes + padded(value.bytes.size());
}

StepValue unpack(const std::byte *&from) {
  const Header header = *reinterpret_cast<const Header *>(from);
  const auto *sizes = reinterpret_cast<const int64_t *>(from + sizeof(Header));
  const auto *bytes = reinterpret_cast<const std::byte *>(sizes + header.rank);
  from = bytes + padded(header.bytes);
  return {header.dtype, {sizes, header.rank}, {bytes, header.bytes}};
}

} // namespace smp
