// SPDX-License-Identifier: Apache-2.0
// Conversions between element types, against the reference evaluator's.

#include "MathCases.h"
#include "smp/model/Float16.h"
#include <bit>
#include <gtest/gtest.h>
#include <random>

using namespace smp;
using namespace smp::test;

namespace {
struct IntegerType {
  const char *name, *storage;
  unsigned width;
  bool isSigned;
};
} // namespace

static constexpr IntegerType kIntegers[] = {
    {"i8", "i8", 8, true},     {"i16", "i16", 16, true},
    {"i32", "i32", 32, true},  {"i64", "i64", 64, true},
    {"u8", "i8", 8, false},    {"u16", "i16", 16, false},
    {"u32", "i32", 32, false}, {"u64", "i64", 64, false}};

static std::vector<MathFunction> conversions() {
  std::vector<MathFunction> functions;
  const auto add = [&](std::string name, const char *from, const char *to,
                       auto emit) {
    for (unsigned lanes : {8u, 0u})
      functions.push_back(
          {name + (lanes ? "" : ".scalar"), from, to, 1, lanes,
           [emit](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
             return emit(b, loc, x[0]);
           }});
  };
  add("bf16.f32", "i16", "f32", codegen::emitBF16ToF32);
  add("f16.f32", "i16", "f32", codegen::emitF16ToF32);
  add("f32.bf16", "f32", "i16", codegen::emitF32ToBF16);
  add("f32.f16", "f32", "i16", codegen::emitF32ToF16);
  add("f64.bf16", "f64", "i16", codegen::emitF64ToBF16);
  add("f64.f16", "f64", "i16", codegen::emitF64ToF16);
  for (const char *floats : {"f32", "f64"})
    for (IntegerType type : kIntegers) {
      add(std::string(floats) + "." + type.name, floats, type.storage,
          [type](mlir::OpBuilder &b, mlir::Location loc, mlir::Value x) {
            return codegen::emitFloatToInt(b, loc, x, type.width,
                                           type.isSigned);
          });
      const bool narrow = floats[1] == '3';
      add(std::string(type.name) + "." + floats, type.storage, floats,
          [type, narrow](mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value x) {
            mlir::Type element =
                narrow ? mlir::Type(b.getF32Type()) : b.getF64Type();
            return codegen::emitIntToFloat(b, loc, x, element, type.isSigned);
          });
    }
  return functions;
}

namespace {
class MathConversion : public testing::TestWithParam<codegen::cpu::Level> {
protected:
  void SetUp() override {
    if (!isSupported(GetParam()))
      GTEST_SKIP() << "this machine does not run x86-64-"
                   << GetParam().name.str();
    std::string error;
    image = MathImage::load(conversions(), GetParam(), error);
    ASSERT_TRUE(image) << error;
  }

  /// The results of a conversion, whose scalar form must give the same.
  template <typename To, typename From>
  std::vector<To> run(const std::string &name,
                      const std::vector<From> &inputs) {
    EXPECT_EQ(inputs.size() % 8, 0u);
    std::vector<To> results(inputs.size()), scalars(inputs.size());
    image->find(name)(inputs.data(), nullptr, results.data(),
                      int64_t(inputs.size()));
    image->find(name + ".scalar")(inputs.data(), nullptr, scalars.data(),
                                  int64_t(inputs.size()));
    EXPECT_EQ(0, std::memcmp(results.data(), scalars.data(),
                             sizeof(To) * results.size()))
        << name;
    return results;
  }

  template <typename Integer, typename Float>
  void checkFloatToInt(const std::string &name,
                       const std::vector<Float> &inputs);
  template <typename Float, typename Integer>
  void checkIntToFloat(const std::string &name);
  template <typename Integer>
  void checkInteger(const std::string &name);

  std::unique_ptr<MathImage> image;
};
} // namespace

TEST_P(MathConversion, ImportsNothing) {
  EXPECT_EQ(image->undefinedSymbols(), std::vector<std::string>());
}

TEST_P(MathConversion, WideningIsExact) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = uint16_t(i);
  const std::pair<const char *, Float16Format> formats[] = {{"bf16.f32", kBF16},
                                                            {"f16.f32", kF16}};
  for (auto [name, format] : formats) {
    const std::vector<float> results = run<float>(name, all);
    for (size_t i = 0; i < all.size(); ++i) {
      const double expected = fromFloat16(all[i], format);
      if (expected == expected) {
        ASSERT_EQ(std::bit_cast<uint32_t>(results[i]),
                  std::bit_cast<uint32_t>(float(expected)))
            << name << " of " << i;
      } else {
        ASSERT_TRUE(results[i] != results[i]) << name << " of " << i;
      }
    }
  }
}

TEST_P(MathConversion, NarrowingRoundsOnce) {
  std::vector<float> floats;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 1009)
    floats.push_back(std::bit_cast<float>(uint32_t(bits)));
  std::vector<double> doubles;
  // Halfway between neighbours, and a little beside.
  for (Float16Format format : {kBF16, kF16})
    for (uint32_t bits = 0; bits < 65535; ++bits) {
      const double a = fromFloat16(uint16_t(bits), format);
      const double b = fromFloat16(uint16_t(bits + 1), format);
      const double middle = a / 2 + b / 2;
      for (double x : {middle, std::nextafter(middle, -1e308),
                       std::nextafter(middle, 1e308), middle * (1 + 0x1p-30)}) {
        doubles.push_back(x);
        floats.push_back(float(x));
      }
    }
  floats.resize(floats.size() / 8 * 8);
  const std::pair<const char *, Float16Format> formats[] = {{"bf16", kBF16},
                                                            {"f16", kF16}};
  for (auto [name, format] : formats) {
    const std::vector<uint16_t> fromF32 =
        run<uint16_t>("f32." + std::string(name), floats);
    for (size_t i = 0; i < floats.size(); ++i)
      ASSERT_EQ(fromF32[i], toFloat16(double(floats[i]), format))
          << std::hexfloat << name << " of " << floats[i];
    const std::vector<uint16_t> fromF64 =
        run<uint16_t>("f64." + std::string(name), doubles);
    for (size_t i = 0; i < doubles.size(); ++i)
      ASSERT_EQ(fromF64[i], toFloat16(doubles[i], format))
          << std::hexfloat << name << " of " << doubles[i];
  }
}

/// The nearest of Integer's bounds, or the truncated value.
template <typename Integer>
static Integer saturate(long double x) {
  if (x != x)
    return 0;
  if (x >= static_cast<long double>(std::numeric_limits<Integer>::max()))
    return std::numeric_limits<Integer>::max();
  if (x <= static_cast<long double>(std::numeric_limits<Integer>::min()))
    return std::numeric_limits<Integer>::min();
  return Integer(x);
}

template <typename Float>
static std::vector<Float> floatsForIntegers() {
  std::vector<Float> inputs{0, Float(-0.0), Float(0.9), Float(-0.9),
                            Float(1.5)};
  for (int exponent = 5; exponent < 70; ++exponent)
    for (Float x :
         {std::ldexp(Float(1), exponent), -std::ldexp(Float(1), exponent)})
      for (Float y :
           {x, std::nextafter(x, Float(0)), std::nextafter(x, 2 * x),
            x + Float(0.5), x - Float(0.5), x - Float(1), x * Float(1.37)})
        inputs.push_back(y);
  using Limits = std::numeric_limits<Float>;
  for (Float x : {Limits::infinity(), Limits::quiet_NaN(), Limits::max(),
                  Limits::denorm_min()})
    inputs.insert(inputs.end(), {x, -x});
  while (inputs.size() % 8)
    inputs.push_back(0);
  return inputs;
}

template <typename Integer, typename Float>
void MathConversion::checkFloatToInt(const std::string &name,
                                     const std::vector<Float> &inputs) {
  const std::vector<Integer> results = run<Integer>(name, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    ASSERT_EQ(results[i], saturate<Integer>(inputs[i]))
        << std::hexfloat << name << " of " << inputs[i];
}

template <typename Float, typename Integer>
void MathConversion::checkIntToFloat(const std::string &name) {
  std::mt19937_64 random(9);
  std::vector<Integer> inputs{0, 1, Integer(-1),
                              std::numeric_limits<Integer>::max(),
                              std::numeric_limits<Integer>::min()};
  for (int i = 0; i < 8003;
       ++i) // Of any length, and near halfway between floats.
    inputs.push_back(
        Integer(Integer(random() >> random() % 64) + (i % 2 ? 1 : 0)));
  for (int64_t odd :
       {0x1000001ll, 0x1000003ll, 0x20000000000001ll, 0x4000004000000001ll,
        0x4000004000000000ll, 0x4000000000000200ll, 0x4000000000000201ll,
        0x7fffffffffffffffll})
    inputs.push_back(Integer(odd));
  inputs.resize(inputs.size() / 8 * 8);
  const std::vector<Float> results = run<Float>(name, inputs);
  for (size_t i = 0; i < inputs.size(); ++i)
    ASSERT_EQ(results[i], Float(inputs[i])) << name << " of " << +inputs[i];
}

template <typename Integer>
void MathConversion::checkInteger(const std::string &name) {
  checkFloatToInt<Integer>("f32." + name, floatsForIntegers<float>());
  checkFloatToInt<Integer>("f64." + name, floatsForIntegers<double>());
  checkIntToFloat<float, Integer>(name + ".f32");
  checkIntToFloat<double, Integer>(name + ".f64");
}

TEST_P(MathConversion, IntegersSaturateAndRound) {
  checkInteger<int8_t>("i8");
  checkInteger<int16_t>("i16");
  checkInteger<int32_t>("i32");
  checkInteger<int64_t>("i64");
  checkInteger<uint8_t>("u8");
  checkInteger<uint16_t>("u16");
  checkInteger<uint32_t>("u32");
  checkInteger<uint64_t>("u64");
}

INSTANTIATE_TEST_SUITE_P(Levels, MathConversion,
                         testing::ValuesIn(codegen::cpu::levels()),
                         [](const auto &info) {
                           return info.param.name.str();
                         });
