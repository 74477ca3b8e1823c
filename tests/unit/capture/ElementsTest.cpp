// SPDX-License-Identifier: Apache-2.0
#include "Elements.h"
#include "smp/capture/Hook.h"
#include "smp/serialization/EventRecord.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace smp;

template <typename T>
static std::vector<std::byte> bytesOf(std::initializer_list<T> values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.begin(), bytes.size());
  return bytes;
}

template <typename From, typename To>
static void expectStored(DType from, std::initializer_list<From> values,
                         DType to, std::initializer_list<To> stored) {
  EXPECT_EQ(storedEventType(from), to);
  EXPECT_EQ(convertToStored(from, bytesOf(values)), bytesOf(stored));
}

TEST(Elements, AreStoredAsTypesThatReadersTake) {
  expectStored<double>(DType::F64, {0.1}, DType::F64, {0.1});
  expectStored<float>(DType::F32, {0.1f}, DType::F32, {0.1f});
  expectStored<uint16_t>(DType::F16, {0xc000}, DType::F16, {uint16_t(0xc000)});
  expectStored<uint16_t>(DType::BF16, {0x3f80, 0xc000}, DType::F32,
                         {1.0f, -2.0f});
  expectStored<int8_t>(DType::I8, {-128, 127}, DType::I32, {-128, 127});
  expectStored<int16_t>(DType::I16, {-5}, DType::I32, {-5});
  expectStored<uint16_t>(DType::U16, {65535}, DType::I32, {65535});
  expectStored<uint32_t>(DType::U32, {UINT32_MAX}, DType::I64,
                         {int64_t(UINT32_MAX)});
  expectStored<uint64_t>(DType::U64, {7, UINT64_MAX}, DType::I64,
                         {int64_t(7), INT64_MAX});
  expectStored<uint8_t>(DType::Bool, {1, 0}, DType::Bool,
                        {uint8_t(1), uint8_t(0)});
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
