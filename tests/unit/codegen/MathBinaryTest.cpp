// SPDX-License-Identifier: Apache-2.0
// pow, fmod, extremes and the fused multiply-add.

#include "MathCases.h"
#include <bit>
#include <cfloat>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace smp;
using namespace smp::test;

static std::vector<MathFunction> binaryFunctions() {
  std::vector<MathFunction> functions;
  const std::pair<const char *, codegen::BinaryMath *> cases[] = {
      {"pow", codegen::emitPow},
      {"fmod", codegen::emitFmod},
      {"maximum", codegen::emitMaximum},
      {"minimum", codegen::emitMinimum}};
  for (auto [name, emit] : cases)
    for (const char *type : {"f32", "f64"})
      for (bool scalar : {false, true})
        functions.push_back(
            {std::string(name) + "." + type + (scalar ? ".scalar" : ""), type,
             type, 2, scalar ? 0u : 8u,
             [emit](mlir::OpBuilder &b, mlir::Location loc,
                    mlir::ValueRange x) { return emit(b, loc, x[0], x[1]); }});
  for (bool scalar : {false, true})
    functions.push_back(
        {scalar ? "fma.f32.scalar" : "fma.f32", "f32", "f32", 2,
         scalar ? 0u : 8u,
         [](mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange x) {
           return codegen::emitFma(b, loc, x[0], x[1], x[1]);
         }});
  return functions;
}

namespace {
template <typename T>
struct Pairs {
  std::vector<T> x, y;
  void push(T a, T b) {
    x.push_back(a);
    y.push_back(b);
  }
  void pad() {
    while (x.size() % 8)
      push(1, 1);
  }
};

class MathBinary : public testing::TestWithParam<codegen::cpu::Level> {
protected:
  void SetUp() override {
    if (!isSupported(GetParam()))
      GTEST_SKIP() << "this machine does not run x86-64-"
                   << GetParam().name.str();
    std::string error;
    image = MathImage::load(binaryFunctions(), GetParam(), error);
    ASSERT_TRUE(image) << error;
  }

  template <typename T, typename Wide>
  void check(const std::string &name, Pairs<T> pairs,
             Wide (*expected)(Wide, Wide), double bound) {
    pairs.pad();
    const auto count = int64_t(pairs.x.size());
    std::vector<T> results(pairs.x.size()), scalars(pairs.x.size());
    image->find(name)(pairs.x.data(), pairs.y.data(), results.data(), count);
    image->find(name + ".scalar")(pairs.x.data(), pairs.y.data(),
                                  scalars.data(), count);
    for (size_t i = 0; i < results.size(); ++i) {
      const Wide want = expected(Wide(pairs.x[i]), Wide(pairs.y[i]));
      ASSERT_LE(unitsOff(results[i], want), bound)
          << std::hexfloat << name << "(" << pairs.x[i] << ", " << pairs.y[i]
          << ") is " << results[i] << ", not " << want;
      const bool same = std::memcmp(&results[i], &scalars[i], sizeof(T)) == 0;
      ASSERT_TRUE(same || (std::isnan(results[i]) && std::isnan(scalars[i])))
          << std::hexfloat << name << "(" << pairs.x[i] << ", " << pairs.y[i]
          << ")";
    }
  }

  std::unique_ptr<MathImage> image;
};
} // namespace

/// Every pair of numbers that C's standard treats apart.
template <typename T>
static Pairs<T> edges() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> values;
  for (T x : {T(0), T(1), T(0.5), T(2), T(3), T(2.5), T(4), T(7),
              Limits::denorm_min(), Limits::min(), Limits::max(),
              Limits::infinity(), T(1) + Limits::epsilon(),
              T(1) - Limits::epsilon(), T(16777215), T(16777216)})
    values.insert(values.end(), {x, -x});
  values.push_back(Limits::quiet_NaN());
  Pairs<T> pairs;
  for (T x : values)
    for (T y : values)
      pairs.push(x, y);
  return pairs;
}

/// Random pairs whose power is mostly finite.
template <typename T>
static Pairs<T> powers(unsigned seed, int count) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(-1, 1);
  Pairs<T> pairs;
  const double most = std::log(double(std::numeric_limits<T>::max()));
  for (int i = 0; i < count; ++i) {
    const double x = i % 4 ? std::exp(unit(random) * (i % 2 ? 1 : most * 0.9))
                           : 1 + unit(random) * 1e-3;
    pairs.push(T(x), T(unit(random) * 1.05 * most / std::fabs(std::log(x))));
  }
  return pairs;
}

/// Random bit patterns, and pairs of nearer exponents.
template <typename T, typename Bits>
static Pairs<T> anyPairs(unsigned seed, int count) {
  std::mt19937_64 random(seed);
  Pairs<T> pairs;
  for (int i = 0; i < count; ++i) {
    const T x = std::bit_cast<T>(Bits(random()));
    const T y = std::bit_cast<T>(Bits(random()));
    int exponent = 0;
    std::frexp(std::isfinite(x) ? x : T(1), &exponent);
    pairs.push(x, i % 8 ? std::ldexp(y - std::trunc(y) + T(1),
                                     exponent - int(random() % 40))
                        : y);
  }
  return pairs;
}

TEST_P(MathBinary, ImportsNothing) {
  EXPECT_EQ(image->undefinedSymbols(), std::vector<std::string>());
}

TEST_P(MathBinary, PowIsWithinItsBounds) {
  const auto narrow = [](double x, double y) { return std::pow(x, y); };
  const auto wide = [](long double x, long double y) { return std::pow(x, y); };
  check<float, double>("pow.f32", edges<float>(), narrow, 1);
  check<double, long double>("pow.f64", edges<double>(), wide, 2);
  check<float, double>("pow.f32", powers<float>(1, 200000), narrow, 1);
  check<double, long double>("pow.f64", powers<double>(2, 100000), wide, 2.5);
}

TEST_P(MathBinary, FmodIsExact) {
  const auto narrow = [](double x, double y) { return std::fmod(x, y); };
  const auto wide = [](long double x, long double y) {
    return std::fmod(x, y);
  };
  check<float, double>("fmod.f32", edges<float>(), narrow, 0);
  check<double, long double>("fmod.f64", edges<double>(), wide, 0);
  check<float, double>("fmod.f32", anyPairs<float, uint32_t>(3, 50000), narrow,
                       0);
  check<double, long double>("fmod.f64", anyPairs<double, uint64_t>(4, 20000),
                             wide, 0);
}

/// IEEE 754-2019: NaN wins, and -0 is less than +0.
template <typename T>
static T maximum(T x, T y) {
  if (std::isnan(x) || std::isnan(y))
    return std::numeric_limits<T>::quiet_NaN();
  if (x == y)
    return std::signbit(x) ? y : x;
  return x < y ? y : x;
}
template <typename T>
static T minimum(T x, T y) {
  return -maximum<T>(-x, -y);
}

TEST_P(MathBinary, ExtremesAreExact) {
  check<float, double>("maximum.f32", edges<float>(), maximum<double>, 0);
  check<float, double>("minimum.f32", edges<float>(), minimum<double>, 0);
  check<double, long double>("maximum.f64", edges<double>(),
                             maximum<long double>, 0);
  check<double, long double>("minimum.f64", edges<double>(),
                             minimum<long double>, 0);
}

TEST_P(MathBinary, FmaRoundsAsTheLevelSays) {
  Pairs<float> pairs;
  std::mt19937 random(5);
  std::uniform_real_distribution<float> unit(-2, 2);
  for (int i = 0; i < 8000; ++i)
    pairs.push(unit(random), unit(random));
  std::vector<float> vectors(8000), scalars(8000);
  image->find("fma.f32")(pairs.x.data(), pairs.y.data(), vectors.data(), 8000);
  image->find("fma.f32.scalar")(pairs.x.data(), pairs.y.data(), scalars.data(),
                                8000);
  const bool fused = GetParam().name != "v2";
  for (size_t i = 0; i < vectors.size(); ++i) {
    volatile float product = pairs.x[i] * pairs.y[i];
    const float expected = fused ? std::fma(pairs.x[i], pairs.y[i], pairs.y[i])
                                 : product + pairs.y[i];
    ASSERT_EQ(vectors[i], expected);
    ASSERT_EQ(scalars[i], expected);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, MathBinary,
                         testing::ValuesIn(codegen::cpu::levels()),
                         [](const auto &info) {
                           return info.param.name.str();
                         });
