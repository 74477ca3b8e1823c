// SPDX-License-Identifier: Apache-2.0
#include "smp/tools/TensorBundle.h"

namespace smp {

namespace {
struct Row {
  TensorFlowType type;
  const char *name;
  std::optional<DType> dtype;
};
} // namespace

/// From tensorflow/core/framework/types.proto.
static constexpr Row kRows[] = {
    {1, "float32", DType::F32},
    {2, "float64", DType::F64},
    {3, "int32", DType::I32},
    {4, "uint8", DType::U8},
    {5, "int16", DType::I16},
    {6, "int8", DType::I8},
    {7, "string", {}},
    {8, "complex64", {}},
    {9, "int64", DType::I64},
    {10, "bool", DType::Bool},
    {11, "qint8", {}},
    {12, "quint8", {}},
    {13, "qint32", {}},
    {14, "bfloat16", DType::BF16},
    {15, "qint16", {}},
    {16, "quint16", {}},
    {17, "uint16", DType::U16},
    {18, "complex128", {}},
    {19, "float16", DType::F16},
    {20, "resource", {}},
    {21, "variant", {}},
    {22, "uint32", DType::U32},
    {23, "uint64", DType::U64},
    {24, "float8_e5m2", {}},
    {25, "float8_e4m3fn", {}},
    {26, "float8_e4m3fnuz", {}},
    {27, "float8_e4m3b11fnuz", {}},
    {28, "float8_e5m2fnuz", {}},
    {29, "int4", {}},
    {30, "uint4", {}},
    {31, "int2", {}},
    {32, "uint2", {}},
    {33, "float4_e2m1fn", {}},
};

static const Row *rowOf(TensorFlowType type) {
  for (const Row &row : kRows)
    if (row.type == type)
      return &row;
  return nullptr;
}

std::optional<DType> fromTensorFlow(TensorFlowType type) {
  const Row *row = rowOf(type);
  return row ? row->dtype : std::nullopt;
}

TensorFlowType toTensorFlow(DType type) {
  for (const Row &row : kRows)
    if (row.dtype == type)
      return row.type;
  return 0;
}

std::string nameOfTensorFlowType(TensorFlowType type) {
  const Row *row = rowOf(type);
  return row ? row->name : "type " + std::to_string(type);
}

} // namespace smp
