// SPDX-License-Identifier: Apache-2.0
// Element types, as files and kernels know them.

#ifndef SMP_MODEL_DTYPE_H
#define SMP_MODEL_DTYPE_H

#include "smp/model/Export.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace smp {

/// An element type. The numbers are stored in program files: add only.
enum class DType : uint8_t {
  F64 = 0,
  F32 = 1,
  BF16 = 2,
  F16 = 3,
  I64 = 4,
  I32 = 5,
  I16 = 6,
  I8 = 7,
  U64 = 8,
  U32 = 9,
  U16 = 10,
  U8 = 11,
  Bool = 12, ///< One byte, 0 or 1.
};
inline constexpr uint8_t kNumDTypes = 13;

/// Whether it is one of the above: an application may have cast what is none.
constexpr bool isDType(DType type) {
  return static_cast<uint8_t>(type) < kNumDTypes;
}

/// Bytes per element; 0 for what is none.
constexpr size_t sizeOf(DType type) {
  constexpr uint8_t bytes[kNumDTypes] = {8, 4, 2, 2, 8, 4, 2, 1, 8, 4, 2, 1, 1};
  return isDType(type) ? bytes[static_cast<uint8_t>(type)] : 0;
}
constexpr bool isFloat(DType type) { return type <= DType::F16; }
constexpr bool isUnsigned(DType type) {
  return type >= DType::U64 && type <= DType::U8;
}

/// "f32", "i64", "u8", "bool" ...; "dtype 77" for what is none.
SMP_API std::string_view toString(DType type);
SMP_API std::optional<DType> parseDType(std::string_view name);

/// safetensors' names: "F32", "BF16", "I64", "BOOL" ...; "" for what is none.
SMP_API std::string_view toSafetensors(DType type);
SMP_API std::optional<DType> parseSafetensorsDType(std::string_view name);

} // namespace smp

#endif // SMP_MODEL_DTYPE_H
