// SPDX-License-Identifier: Apache-2.0
#include "FloatScan.h"
#include <cstdint>
#include <cstring>

namespace smp {

/// `infinity` is the bit pattern of +infinity: without its sign, a NaN is above
/// it and a finite number below.
template <typename Bits>
static std::optional<BadFloat> find(std::span<const std::byte> bytes,
                                    Bits infinity, bool infinitiesToo) {
  constexpr uint64_t kBlock = 512;
  constexpr Bits kSign = Bits(Bits(1) << (8 * sizeof(Bits) - 1));
  const Bits most = infinitiesToo ? Bits(infinity - 1) : infinity;
  const uint64_t count = bytes.size() / sizeof(Bits);
  auto magnitude = [&](uint64_t i) {
    Bits bits;
    std::memcpy(&bits, bytes.data() + i * sizeof(Bits), sizeof(Bits));
    return Bits(bits & Bits(~kSign));
  };
  for (uint64_t begin = 0; begin < count; begin += kBlock) {
    const uint64_t end = begin + kBlock < count ? begin + kBlock : count;
    bool anyBad = false; // Of the block, without a branch per element.
    for (uint64_t i = begin; i < end; ++i)
      anyBad |= magnitude(i) > most;
    for (uint64_t i = begin; anyBad && i < end; ++i)
      if (magnitude(i) > most)
        return BadFloat{i, magnitude(i) > infinity};
  }
  return std::nullopt;
}

std::optional<BadFloat> findBadFloat(DType dtype,
                                     std::span<const std::byte> bytes,
                                     bool infinitiesToo) {
  switch (dtype) {
  case DType::F64:
    return find<uint64_t>(bytes, 0x7ff0000000000000u, infinitiesToo);
  case DType::F32:
    return find<uint32_t>(bytes, 0x7f800000u, infinitiesToo);
  case DType::BF16:
    return find<uint16_t>(bytes, 0x7f80u, infinitiesToo);
  case DType::F16:
    return find<uint16_t>(bytes, 0x7c00u, infinitiesToo);
  default:
    return std::nullopt;
  }
}

} // namespace smp
