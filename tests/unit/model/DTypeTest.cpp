// SPDX-License-Identifier: Apache-2.0
#include "smp/model/DTypeOf.h"
#include "smp/model/Shape.h"
#include "smp/model/TypeBounds.h"
#include <gtest/gtest.h>
#include <string>

using namespace smp;

TEST(DType, NamesComeBack) {
  for (uint8_t i = 0; i < kNumDTypes; ++i) {
    DType type = static_cast<DType>(i);
    EXPECT_EQ(parseDType(toString(type)), type);
    EXPECT_EQ(parseSafetensorsDType(toSafetensors(type)), type);
  }
}

TEST(DType, UnknownNamesAreNothing) {
  EXPECT_EQ(parseDType("F32"), std::nullopt);
  EXPECT_EQ(parseDType(""), std::nullopt);
  EXPECT_EQ(parseSafetensorsDType("f32"), std::nullopt);
  EXPECT_EQ(parseSafetensorsDType("F8_E4M3"), std::nullopt);
}

TEST(DType, NamesTellTheSize) {
  for (uint8_t i = 0; i < kNumDTypes - 1; ++i) {
    std::string_view name = toString(static_cast<DType>(i));
    std::string_view bits = name.substr(name.find_first_of("0123456789"));
    EXPECT_EQ(sizeOf(static_cast<DType>(i)) * 8,
              size_t(std::stoi(std::string(bits))));
  }
  EXPECT_EQ(sizeOf(DType::Bool), 1u);
}

/// Of an application that cast a number, or has read it from somewhere.
TEST(DType, WhatIsNoneHasANumberForAName) {
  EXPECT_EQ(toString(DType(13)), "dtype 13");
  EXPECT_EQ(toString(DType(77)), "dtype 77");
  EXPECT_EQ(toString(DType(255)), "dtype 255");
  EXPECT_EQ(toSafetensors(DType(77)), "");
  for (unsigned number = kNumDTypes; number < 256; ++number) {
    EXPECT_FALSE(isDType(DType(number)));
    EXPECT_EQ(checkedBytes({DType(number), {2}}), std::nullopt);
    EXPECT_EQ(parseDType(toString(DType(number))), std::nullopt);
  }
  EXPECT_TRUE(isDType(DType::Bool));
}

template <typename T>
concept HasDType = requires { dtypeOf<T>(); };

TEST(DType, OfTypes) {
  EXPECT_EQ(dtypeOf<double>(), DType::F64);
  EXPECT_EQ(dtypeOf<float>(), DType::F32);
  EXPECT_EQ(dtypeOf<int64_t>(), DType::I64);
  EXPECT_EQ(dtypeOf<int32_t>(), DType::I32);
  EXPECT_EQ(dtypeOf<int16_t>(), DType::I16);
  EXPECT_EQ(dtypeOf<int8_t>(), DType::I8);
  EXPECT_EQ(dtypeOf<uint64_t>(), DType::U64);
  EXPECT_EQ(dtypeOf<uint32_t>(), DType::U32);
  EXPECT_EQ(dtypeOf<uint16_t>(), DType::U16);
  EXPECT_EQ(dtypeOf<uint8_t>(), DType::U8);
  EXPECT_EQ(dtypeOf<bool>(), DType::Bool);
  EXPECT_FALSE(HasDType<char> || HasDType<char16_t> || HasDType<long double> ||
               HasDType<const float> || HasDType<DType> || HasDType<void *> ||
               (HasDType<long> && HasDType<long long>));
}

TEST(DType, Classes) {
  EXPECT_TRUE(isFloat(DType::F64) && isFloat(DType::F16));
  EXPECT_FALSE(isFloat(DType::I64));
  EXPECT_TRUE(isUnsigned(DType::U64) && isUnsigned(DType::U8));
  EXPECT_FALSE(isUnsigned(DType::I8) || isUnsigned(DType::Bool));
}
