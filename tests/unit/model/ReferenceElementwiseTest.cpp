// SPDX-License-Identifier: Apache-2.0
// The edges of elementwise ops, against known values.

#include "ReferenceHelpers.h"
#include "smp/model/Float16.h"

using namespace smp;
using namespace smp::test;

TEST(ReferenceUnary, FloatFunctionsAreRoundedFromWiderOnes) {
  const std::vector<float> x{0.25f, 0.5f, 0.75f, 1e-20f, -0.5f};
  const std::pair<const char *, double (*)(double)> cases[] = {
      {"exp", std::exp},     {"log1p", std::log1p}, {"expm1", std::expm1},
      {"tanh", std::tanh},   {"erf", std::erf},     {"sin", std::sin},
      {"cos", std::cos},     {"tan", std::tan},     {"asin", std::asin},
      {"acos", std::acos},   {"atan", std::atan},   {"sinh", std::sinh},
      {"cosh", std::cosh},   {"asinh", std::asinh}, {"atanh", std::atanh},
      {"floor", std::floor}, {"ceil", std::ceil}};
  for (auto [mnemonic, function] : cases) {
    SCOPED_TRACE(mnemonic);
    std::vector<float> expected;
    for (float value : x)
      expected.push_back(float(function(double(value))));
    expectBits(evalVectors<float>(mnemonic, {x}), expected);
  }
}

TEST(ReferenceUnary, DoubleFunctionsAreCorrectToTheLastBit) {
  // Values of exp(1), log(3), erf(0.5), tanh(0.5) to 20 digits.
  expectBits(evalVectors<double>("exp", {{1}}), {2.71828182845904523536});
  expectBits(evalVectors<double>("log", {{3}}), {1.09861228866810969140});
  expectBits(evalVectors<double>("erf", {{0.5}}), {0.52049987781304653768});
  expectBits(evalVectors<double>("tanh", {{0.5}}), {0.46211715726000975850});
  expectBits(evalVectors<double>("acosh", {{2}}), {1.31695789692481670863});
}

TEST(ReferenceUnary, OutsideTheDomainIsNaN) {
  for (const char *mnemonic : {"log", "sqrt", "rsqrt", "log1p"})
    expectBits(evalVectors<float>(mnemonic, {{-2}}), {kNaN});
  expectBits(evalVectors<float>("asin", {{1.5f, -2}}), {kNaN, kNaN});
  expectBits(evalVectors<float>("acosh", {{0.5f}}), {kNaN});
  expectBits(evalVectors<float>("log", {{0, -0.0f, kInf}}),
             {-kInf, -kInf, kInf});
}

TEST(ReferenceUnary, SignsAndIntegers) {
  expectBits(evalVectors<float>("sign", {{-3, -0.0f, 0, 2, kNaN}}),
             {-1, -0.0f, 0, 1, kNaN});
  expectBits(evalVectors<float>("neg", {{0, -1}}), {-0.0f, 1});
  expectBits(evalVectors<int8_t>("abs", {{-128, -5, 5}}), {-128, 5, 5});
  expectBits(evalVectors<int8_t>("neg", {{-128, 5}}), {-128, -5});
  expectBits(evalVectors<int64_t>("abs", {{INT64_MIN}}), {INT64_MIN});
  expectBits(evalVectors<uint8_t>("neg", {{1, 0}}), {255, 0});
  expectBits(evalVectors<int64_t>("sign", {{-9, 0, 9}}), {-1, 0, 1});
  expectBits(evalVectors<uint8_t>("not", {{0, 0xf0}}), {255, 0x0f});
  expectBits(evalVectors<bool>("not", {{true, false}}), {false, true});
}

TEST(ReferenceUnary, RoundingTiesToEven) {
  expectBits(
      evalVectors<float>("round", {{0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.4f}}),
      {0, 2, 2, -0.0f, -2, 0});
}

TEST(ReferenceUnary, RsqrtRoundsTwice) {
  for (float x : {2.0f, 3.0f, 7.0f, 0.1f, 1e-39f})
    expectBits(evalVectors<float>("rsqrt", {{x}}), {1.0f / std::sqrt(x)});
}

TEST(ReferenceUnary, Tests) {
  HostTensor x = tensor<float>({4}, {1, kNaN, kInf, -kInf});
  expectBits(valuesOf<bool>(eval("is_nan", {x}, {DType::Bool, {4}})),
             {false, true, false, false});
  expectBits(valuesOf<bool>(eval("is_inf", {x}, {DType::Bool, {4}})),
             {false, false, true, true});
}

TEST(ReferenceBinary, IntegersWrap) {
  expectBits(evalVectors<int8_t>("add", {{127, -128}, {1, -1}}), {-128, 127});
  expectBits(evalVectors<uint8_t>("sub", {{0, 5}, {1, 3}}), {255, 2});
  expectBits(evalVectors<int32_t>("mul", {{65536, -3}, {65536, 5}}), {0, -15});
  expectBits(evalVectors<int64_t>("add", {{INT64_MAX}, {1}}), {INT64_MIN});
}

TEST(ReferenceBinary, IntegerDivisionNeverTraps) {
  expectBits(
      evalVectors<int32_t>("div", {{7, -7, 7, INT32_MIN}, {2, 2, 0, -1}}),
      {3, -3, 0, INT32_MIN});
  expectBits(evalVectors<int64_t>("div", {{INT64_MIN}, {-1}}), {INT64_MIN});
  expectBits(evalVectors<uint64_t>("div", {{~0ull, 9}, {~0ull, 0}}), {1, 0});
  expectBits(evalVectors<int32_t>(
                 "rem", {{7, -7, 7, 7, INT32_MIN}, {3, 3, -3, 0, -1}}),
             {1, -1, 1, 0, 0});
  expectBits(evalVectors<uint64_t>("rem", {{5}, {~0ull}}), {5});
}

TEST(ReferenceBinary, FloatRemainderHasTheSignOfTheFirst) {
  expectBits(
      evalVectors<float>("rem", {{7.5f, -7.5f, -4, 1, kInf}, {2, 2, 2, 0, 1}}),
      {1.5f, -1.5f, -0.0f, kNaN, kNaN});
}

TEST(ReferenceBinary, Powers) {
  expectBits(evalVectors<int32_t>("pow", {{3, 2, 1, -1, -1, 2, 0, 0, 2},
                                          {4, -1, -5, -3, -4, 40, 0, -1, 31}}),
             {81, 0, 1, -1, 1, 0, 1, 0, INT32_MIN});
  expectBits(evalVectors<uint8_t>("pow", {{2, 3}, {8, 5}}), {0, 243});
  expectBits(evalVectors<float>(
                 "pow", {{2, 0, -8, kNaN, 1}, {0.5f, 0, 1.0f / 3, 0, kNaN}}),
             {std::sqrt(2.0f), 1, kNaN, 1, 1});
}

TEST(ReferenceBinary, MaxAndMinKeepNaNAndOrderZeros) {
  expectBits(evalVectors<float>(
                 "max", {{1, kNaN, 2, -0.0f, 0}, {kNaN, 1, 3, 0, -0.0f}}),
             {kNaN, kNaN, 3, 0, 0});
  expectBits(evalVectors<float>(
                 "min", {{1, kNaN, 2, -0.0f, 0}, {kNaN, 1, 3, 0, -0.0f}}),
             {kNaN, kNaN, 2, -0.0f, -0.0f});
  expectBits(evalVectors<uint64_t>("max", {{~0ull}, {1}}), {~0ull});
  expectBits(evalVectors<int64_t>("max", {{-1}, {1}}), {1});
}

TEST(ReferenceBinary, Shifts) {
  expectBits(
      evalVectors<int8_t>("shift_left", {{1, 1, 1, 65, 1}, {3, 8, -1, 1, 7}}),
      {8, 0, 0, -126, -128});
  expectBits(evalVectors<int8_t>("shift_right",
                                 {{-128, -1, 64, -5, 5}, {3, 8, 6, -1, 99}}),
             {-16, -1, 1, -1, 0});
  expectBits(evalVectors<uint8_t>("shift_right", {{255, 255}, {4, 8}}),
             {15, 0});
  expectBits(evalVectors<int64_t>("shift_left", {{1, 1}, {63, 64}}),
             {INT64_MIN, 0});
}

TEST(ReferenceBinary, Bits) {
  expectBits(evalVectors<uint8_t>("and", {{0xcc}, {0xaa}}), {0x88});
  expectBits(evalVectors<uint8_t>("or", {{0xcc}, {0xaa}}), {0xee});
  expectBits(evalVectors<int32_t>("xor", {{-1}, {5}}), {-6});
  expectBits(evalVectors<bool>("xor", {{true, true}, {true, false}}),
             {false, true});
}

TEST(ReferenceBinary, ComparisonsWithNaNAreFalseButNe) {
  HostTensor x = tensor<float>({3}, {1, kNaN, 2}),
             y = tensor<float>({3}, {1, kNaN, 3});
  const auto compare = [&](const char *direction) {
    return valuesOf<bool>(eval("compare", {x, y}, {DType::Bool, {3}},
                               {{"direction", direction}}));
  };
  expectBits(compare("eq"), {true, false, false});
  expectBits(compare("ne"), {false, true, true});
  expectBits(compare("lt"), {false, false, true});
  expectBits(compare("le"), {true, false, true});
  expectBits(compare("gt"), {false, false, false});
  expectBits(compare("ge"), {true, false, false});
}

TEST(ReferenceBinary, ComparisonsKnowTheSign) {
  const auto less = [](HostTensor x, HostTensor y) {
    return valuesOf<bool>(
        eval("compare", {x, y}, {DType::Bool, {1}}, {{"direction", "lt"}}));
  };
  expectBits(less(tensor<int8_t>({1}, {-1}), tensor<int8_t>({1}, {1})), {true});
  expectBits(less(tensor<uint8_t>({1}, {255}), tensor<uint8_t>({1}, {1})),
             {false});
  expectBits(less(tensor<bool>({1}, {false}), tensor<bool>({1}, {true})),
             {true});
}

TEST(ReferenceBinary, SelectKeepsBits) {
  HostTensor condition = tensor<bool>({3}, {true, false, true});
  HostTensor x = tensor<float>({3}, {-0.0f, 1, kNaN}),
             y = tensor<float>({3}, {2, 3, 4});
  expectBits(valuesOf<float>(eval("select", {condition, x, y}, x.type)),
             {-0.0f, 3, kNaN});
}

TEST(ReferenceConvert, FloatToIntegerSaturates) {
  HostTensor x =
      tensor<float>({7}, {1.9f, -1.9f, 300, -300, kNaN, kInf, -kInf});
  expectBits(valuesOf<int8_t>(eval("convert", {x}, {DType::I8, {7}})),
             {1, -1, 127, -128, 0, 127, -128});
  expectBits(valuesOf<uint8_t>(eval("convert", {x}, {DType::U8, {7}})),
             {1, 0, 255, 0, 0, 255, 0});
  expectBits(valuesOf<int64_t>(eval("convert", {x}, {DType::I64, {7}})),
             {1, -1, 300, -300, 0, INT64_MAX, INT64_MIN});
  expectBits(valuesOf<uint64_t>(eval("convert", {x}, {DType::U64, {7}})),
             {1, 0, 300, 0, 0, UINT64_MAX, 0});
  expectBits(valuesOf<bool>(eval("convert",
                                 {tensor<float>({4}, {0, -0.0f, 0.1f, kNaN})},
                                 {DType::Bool, {4}})),
             {false, false, true, true});
}

TEST(ReferenceConvert, IntegersKeepLowBits) {
  HostTensor x = tensor<int32_t>({3}, {257, -1, 256});
  expectBits(valuesOf<uint8_t>(eval("convert", {x}, {DType::U8, {3}})),
             {1, 255, 0});
  expectBits(valuesOf<int64_t>(eval("convert", {x}, {DType::I64, {3}})),
             {257, -1, 256});
  expectBits(valuesOf<bool>(eval("convert", {x}, {DType::Bool, {3}})),
             {true, true, true});
  HostTensor u = tensor<uint32_t>({1}, {~0u});
  expectBits(valuesOf<int64_t>(eval("convert", {u}, {DType::I64, {1}})),
             {4294967295});
}

TEST(ReferenceConvert, IntegersRoundToFloatsOnce) {
  std::vector<int64_t> values{(1ll << 60) + (1ll << 36) + 1,
                              -((1ll << 60) + (1ll << 36) + 1),
                              (1ll << 60) + (1ll << 36),
                              INT64_MAX,
                              INT64_MIN,
                              16777217};
  HostTensor x = tensor<int64_t>({6}, values);
  std::vector<float> floats;
  std::vector<double> doubles;
  for (int64_t value : values) {
    floats.push_back(float(value));
    doubles.push_back(double(value));
  }
  expectBits(valuesOf<float>(eval("convert", {x}, {DType::F32, {6}})), floats);
  expectBits(valuesOf<double>(eval("convert", {x}, {DType::F64, {6}})),
             doubles);
  // 2^62 + 2^54 is halfway between two bf16; 1 more rounds up.
  HostTensor y = tensor<int64_t>(
      {2}, {(1ll << 62) + (1ll << 54), (1ll << 62) + (1ll << 54) + 1});
  HostTensor rounded = eval("convert", {y}, {DType::BF16, {2}});
  EXPECT_EQ(rounded.as<uint16_t>()[0], 0x5e80);
  EXPECT_EQ(rounded.as<uint16_t>()[1], 0x5e81);
}

TEST(ReferenceConvert, BitCastKeepsBits) {
  HostTensor x = tensor<float>({4}, {1, -0.0f, kInf, 0x1p-149f});
  HostTensor bits = eval("bit_cast", {x}, {DType::U32, {4}});
  expectBits(valuesOf<uint32_t>(bits),
             {0x3f800000u, 0x80000000u, 0x7f800000u, 1u});
  expectBits(valuesOf<float>(eval("bit_cast", {bits}, x.type)),
             valuesOf<float>(x));
  HostTensor half = tensor<uint16_t>({2}, {0x3f80, 0x7c01});
  EXPECT_EQ(eval("bit_cast", {half}, {DType::BF16, {2}}).bytes, half.bytes);
}

TEST(ReferenceFloat16, EveryValueSurvivesARoundTrip) {
  for (Float16Format format : {kBF16, kF16})
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      const double value = fromFloat16(uint16_t(bits), format);
      if (value == value) {
        ASSERT_EQ(toFloat16(value, format), bits);
      } else {
        const uint16_t quiet = uint16_t(1 << (format.mantissaBits - 1));
        ASSERT_EQ(toFloat16(value, format), bits | quiet);
      }
    }
}

TEST(ReferenceFloat16, RoundsToTheNearerNeighbour) {
  for (Float16Format format : {kBF16, kF16}) {
    const uint32_t infinity = ((1u << format.exponentBits) - 1)
                              << format.mantissaBits;
    for (uint32_t bits = 0; bits + 1 < infinity; ++bits) {
      const double low = fromFloat16(uint16_t(bits), format);
      const double high = fromFloat16(uint16_t(bits + 1), format);
      const double middle = (low + high) / 2;
      ASSERT_EQ(toFloat16(middle, format), bits + (bits & 1)) << bits;
      ASSERT_EQ(toFloat16(std::nextafter(middle, 0), format), bits) << bits;
      ASSERT_EQ(toFloat16(-std::nextafter(middle, 1e300), format),
                (bits + 1) | 0x8000)
          << bits;
    }
  }
  EXPECT_EQ(toFloat16(65519.99, kF16), 0x7bff);
  EXPECT_EQ(toFloat16(65520, kF16), 0x7c00);
  EXPECT_EQ(toFloat16(1e300, kBF16), 0x7f80);
  EXPECT_EQ(fromFloat16(0x3c00, kF16), 1.0);
  EXPECT_EQ(fromFloat16(0x0001, kF16), std::ldexp(1, -24));
  EXPECT_EQ(fromFloat16(0x3f80, kBF16), 1.0);
}

TEST(ReferenceFloat16, ArithmeticRoundsOnce) {
  HostTensor x = HostTensor::zeros({DType::BF16, {1}}), y = x;
  x.as<uint16_t>()[0] = 0x3f80; // 1
  y.as<uint16_t>()[0] = 0x3c00; // 2^-7: the last place of 1
  EXPECT_EQ(evalSame("add", {x, y}).as<uint16_t>()[0], 0x3f81);
  EXPECT_EQ(evalSame("exp", {x}).as<uint16_t>()[0], 0x402e); // 2.71875
}
