// SPDX-License-Identifier: Apache-2.0
// Elements of tensors whose type is known when it runs.

#ifndef SMP_MODEL_ELEMENTS_H
#define SMP_MODEL_ELEMENTS_H

#include "smp/model/DType.h"
#include "smp/model/Float16.h"
#include <cstring>
#include <span>

namespace smp {

/// What `use` makes of element `index` of the type's row-major bytes, as the
/// C++ type that holds it: float for both 16-bit floats, uint8_t for bool. The
/// bytes need no alignment.
template <typename Use>
auto visitElement(DType dtype, std::span<const std::byte> bytes, size_t index,
                  Use use) {
  auto load = [&]<typename T>(T value) {
    std::memcpy(&value, bytes.data() + index * sizeof(T), sizeof(T));
    return value;
  };
  switch (dtype) {
  case DType::F64:
    return use(load(double()));
  case DType::F32:
    return use(load(float()));
  case DType::BF16:
    return use(float(fromFloat16(load(uint16_t()), kBF16)));
  case DType::F16:
    return use(float(fromFloat16(load(uint16_t()), kF16)));
  case DType::I64:
    return use(load(int64_t()));
  case DType::I32:
    return use(load(int32_t()));
  case DType::I16:
    return use(load(int16_t()));
  case DType::I8:
    return use(load(int8_t()));
  case DType::U64:
    return use(load(uint64_t()));
  case DType::U32:
    return use(load(uint32_t()));
  case DType::U16:
    return use(load(uint16_t()));
  case DType::U8:
  case DType::Bool:
    break;
  }
  return use(load(uint8_t()));
}

} // namespace smp

#endif // SMP_MODEL_ELEMENTS_H
