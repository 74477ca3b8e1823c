// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/capture/Hook.h"
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace smp;

template <typename T>
static std::vector<std::byte> bytesOf(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

template <typename T>
static void expectText(DType dtype, T value, const std::string &text) {
  const auto bytes = bytesOf({T(0), value});
  EXPECT_EQ(elementAsJson(dtype, bytes, 1), text);
  EXPECT_EQ(elementAsDouble(dtype, bytes, 0), 0);
}

TEST(Elements, AreTextOfEveryType) {
  expectText<double>(DType::F64, 0.1, "0.1");
  expectText<float>(DType::F32, 0.1f, "0.1");
  expectText<uint16_t>(DType::BF16, 0x3f80, "1");
  expectText<uint16_t>(DType::F16, 0xc000, "-2");
  expectText<int64_t>(DType::I64, INT64_MIN, "-9223372036854775808");
  expectText<int32_t>(DType::I32, -5, "-5");
  expectText<int16_t>(DType::I16, -5, "-5");
  expectText<int8_t>(DType::I8, -128, "-128");
  expectText<uint64_t>(DType::U64, UINT64_MAX, "18446744073709551615");
  expectText<uint32_t>(DType::U32, UINT32_MAX, "4294967295");
  expectText<uint16_t>(DType::U16, 65535, "65535");
  expectText<uint8_t>(DType::U8, 255, "255");
  expectText<uint8_t>(DType::Bool, 1, "1");
}

TEST(Elements, MeansAreOfAllTypes) {
  CapturedValue value;
  EXPECT_EQ(value.mean(), 0); // Of no element.
  value.dtype = DType::I8;
  value.bytes = bytesOf<int8_t>({-128, -128, 1, 1});
  EXPECT_EQ(value.mean(), -63.5);
  value.dtype = DType::BF16;
  value.bytes = bytesOf<uint16_t>({0x3f80, 0x4040});
  EXPECT_EQ(value.mean(), 2);
}
