// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/Crc32c.h"
#include "Crc32cParts.h"
#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <nmmintrin.h>
#endif

namespace smp {

/// The Castagnoli polynomial, lowest bit first.
static constexpr uint32_t kPolynomial = 0x82f63b78;

using Table = std::array<uint32_t, 256>;

/// tables[k][b]: the register after byte b and k zero bytes.
static constexpr std::array<Table, 8> makeTables() {
  std::array<Table, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc >> 1) ^ ((crc & 1) ? kPolynomial : 0);
    tables[0][byte] = crc;
  }
  for (uint32_t byte = 0; byte < 256; ++byte)
    for (size_t k = 1; k < 8; ++k) {
      uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 255];
    }
  return tables;
}
static constexpr std::array<Table, 8> kTables = makeTables();

static uint64_t load64(const std::byte *bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

uint32_t detail::crc32cSoftware(std::span<const std::byte> bytes,
                                uint32_t previous) {
  uint32_t crc = ~previous;
  const std::byte *at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word = load64(at) ^ crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k)
      crc ^= kTables[7 - k][(word >> (8 * k)) & 255];
  }
  for (; left > 0; --left, ++at)
    crc = (crc >> 8) ^ kTables[0][(crc ^ uint32_t(*at)) & 255];
  return ~crc;
}

#if defined(__x86_64__)

/// The instruction has a latency of three cycles and a throughput of one: three
/// lanes of this many bytes keep it busy.
static constexpr size_t kLaneBytes = 4096;
/// Lanes are too short for the processor to fetch ahead by itself: the next
/// ones are asked for by lines of this many bytes.
static constexpr size_t kLineBytes = 64;

/// shift[k][b]: what byte k of the register, being b, becomes after kLaneBytes
/// zero bytes. The register is linear in its bytes.
static std::array<Table, 4> makeLaneShift() {
  std::array<Table, 4> shift{};
  for (uint32_t k = 0; k < 4; ++k) {
    // Linear in the bits as well: eight registers make the other 248.
    for (uint32_t bit = 0; bit < 8; ++bit) {
      uint32_t crc = 1u << (8 * k + bit);
      for (size_t i = 0; i < kLaneBytes; ++i)
        crc = (crc >> 8) ^ kTables[0][crc & 255];
      shift[k][1u << bit] = crc;
    }
    for (uint32_t byte = 1; byte < 256; ++byte)
      if (uint32_t rest = byte & (byte - 1))
        shift[k][byte] = shift[k][rest] ^ shift[k][byte ^ rest];
  }
  return shift;
}

static uint32_t shiftLane(uint32_t crc) {
  static const std::array<Table, 4> shift = makeLaneShift();
  return shift[0][crc & 255] ^ shift[1][(crc >> 8) & 255] ^
         shift[2][(crc >> 16) & 255] ^ shift[3][crc >> 24];
}

bool detail::hasCrc32cHardware() { return __builtin_cpu_supports("sse4.2"); }

__attribute__((target("sse4.2"))) uint32_t
detail::crc32cHardware(std::span<const std::byte> bytes, uint32_t previous) {
  uint64_t crc = uint32_t(~previous);
  const std::byte *at = bytes.data();
  size_t left = bytes.size();
  for (; left >= 3 * kLaneBytes; left -= 3 * kLaneBytes, at += 3 * kLaneBytes) {
    uint64_t second = 0, third = 0;
    for (size_t i = 0; i < kLaneBytes; i += 8) {
      if (i % kLineBytes == 0)
        for (size_t lane = 3; lane < 6; ++lane) // Also beyond the end.
          _mm_prefetch(at + lane * kLaneBytes + i, _MM_HINT_T0);
      crc = _mm_crc32_u64(crc, load64(at + i));
      second = _mm_crc32_u64(second, load64(at + kLaneBytes + i));
      third = _mm_crc32_u64(third, load64(at + 2 * kLaneBytes + i));
    }
    crc = shiftLane(uint32_t(crc)) ^ second;
    crc = shiftLane(uint32_t(crc)) ^ third;
  }
  for (; left >= 8; left -= 8, at += 8)
    crc = _mm_crc32_u64(crc, load64(at));
  for (; left > 0; --left, ++at)
    crc = _mm_crc32_u8(uint32_t(crc), uint8_t(*at));
  return ~uint32_t(crc);
}

#else

bool detail::hasCrc32cHardware() { return false; }
uint32_t detail::crc32cHardware(std::span<const std::byte> bytes,
                                uint32_t previous) {
  return crc32cSoftware(bytes, previous);
}

#endif

/// The product of two polynomials modulo the CRC's, highest power first.
static uint32_t multiply(uint32_t one, uint32_t other) {
  uint32_t product = 0;
  for (uint32_t bit = uint32_t(1) << 31; bit; bit >>= 1) {
    if (one & bit)
      product ^= other;
    other = (other >> 1) ^ ((other & 1) ? kPolynomial : 0);
  }
  return product;
}

uint32_t crc32cJoined(uint32_t first, uint32_t second, uint64_t secondBytes) {
  uint32_t power = uint32_t(1) << (31 - 8); // x to the 8th: a byte of zeros.
  for (; secondBytes; secondBytes >>= 1) {
    if (secondBytes & 1)
      first = multiply(first, power);
    power = multiply(power, power);
  }
  return first ^ second;
}

uint32_t crc32c(std::span<const std::byte> bytes, uint32_t previous) {
  static const bool hardware = detail::hasCrc32cHardware();
  return hardware ? detail::crc32cHardware(bytes, previous)
                  : detail::crc32cSoftware(bytes, previous);
}

} // namespace smp
