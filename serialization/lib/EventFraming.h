// SPDX-License-Identifier: Apache-2.0
// What surrounds the payload of a record, and the numbers that it is made of.

#ifndef SMP_SERIALIZATION_LIB_EVENTFRAMING_H
#define SMP_SERIALIZATION_LIB_EVENTFRAMING_H

#include "smp/model/DType.h"
#include "smp/serialization/Crc32c.h"
#include <vector>

namespace smp::event {

/// Of the payload's length and its digest, and of what follows the payload.
inline constexpr size_t kHeaderBytes = 12, kFooterBytes = 4;
/// What smdebug writes after each payload, where a TFRecord has the payload's
/// digest: the masked digest of the ten characters 0x12345678.
inline constexpr uint32_t kFooter = 0x062dc0b3;

inline uint32_t maskedCrc32c(std::span<const std::byte> bytes) {
  const uint32_t crc = crc32c(bytes);
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

/// Appends the lowest bytes of a number, little endian.
inline void appendNumber(uint64_t number, size_t bytes,
                         std::vector<std::byte> &file) {
  for (size_t i = 0; i < bytes; ++i)
    file.push_back(std::byte(number >> (8 * i)));
}

/// Appends a record: the payload, and what surrounds it.
inline void appendFramed(std::span<const std::byte> payload, uint32_t footer,
                         std::vector<std::byte> &file) {
  const size_t start = file.size();
  appendNumber(payload.size(), 8, file);
  appendNumber(maskedCrc32c(std::span(file).subspan(start)), 4, file);
  file.insert(file.end(), payload.begin(), payload.end());
  appendNumber(footer, kFooterBytes, file);
}

/// Numbers of fields, by the message that has them.
enum class Event : uint32_t {
  WallTime = 1,
  Step = 2,
  FileVersion = 3,
  Summary = 5,
  SessionLog = 7
};
enum class SessionLog : uint32_t { Status = 1 };
enum class Summary : uint32_t { Value = 1 };
enum class Value : uint32_t {
  Tag = 1,
  Number = 2,
  Histogram = 5,
  Tensor = 8,
  Metadata = 9
};
enum class Histo : uint32_t {
  Min = 1,
  Max = 2,
  Count = 3,
  Sum = 4,
  SumOfSquares = 5,
  Limits = 6,
  Counts = 7
};
enum class Metadata : uint32_t { Plugin = 1 };
enum class Plugin : uint32_t { Name = 1, Content = 2 };
enum class Tensor : uint32_t { Type = 1, Shape = 2, Content = 4, Texts = 8 };
enum class ShapeOf : uint32_t { Dimension = 2 };
enum class Dimension : uint32_t { Size = 1 };

/// The number of an element type in a record.
struct TypeNumber {
  DType type;
  uint32_t number;
};
inline constexpr TypeNumber kTypeNumbers[] = {
    {DType::F32, 1},   {DType::F64, 2},  {DType::I32, 3},  {DType::U8, 4},
    {DType::I16, 5},   {DType::I8, 6},   {DType::I64, 9},  {DType::Bool, 10},
    {DType::BF16, 14}, {DType::U16, 17}, {DType::F16, 19}, {DType::U32, 22},
    {DType::U64, 23},
};

} // namespace smp::event

#endif // SMP_SERIALIZATION_LIB_EVENTFRAMING_H
