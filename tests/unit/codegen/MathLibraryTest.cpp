// SPDX-License-Identifier: Apache-2.0
// Elementary functions of one float, on every level that this machine runs:
// errors against the host's wider functions, edges, scalars against vectors.

#include "MathCases.h"
#include <bit>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace smp;
using namespace smp::test;

static constexpr size_t kBlock = 16; // Inputs come in multiples of it.

/// Every exponent with some mantissas, and what functions trip over.
static std::vector<float> inputsF32() {
  std::vector<float> inputs;
  for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 9973)
    inputs.push_back(std::bit_cast<float>(uint32_t(bits)));
  for (float x : {0.0f,
                  1.0f,
                  0.5f,
                  0.35f,
                  1e-45f,
                  1.17549435e-38f,
                  88.72284f,
                  88.72283f,
                  103.97208f,
                  87.33655f,
                  3.4028235e38f,
                  3.93f,
                  9.01f,
                  0.99999994f,
                  1.0000001f,
                  0.70710677f,
                  1.4142135f,
                  3.1415927f,
                  1.5707964f,
                  16777216.0f,
                  std::numeric_limits<float>::infinity(),
                  std::numeric_limits<float>::quiet_NaN()}) {
    inputs.push_back(x);
    inputs.push_back(-x);
  }
  while (inputs.size() % kBlock)
    inputs.push_back(1);
  return inputs;
}

static std::vector<double> inputsF64(unsigned seed, double reach) {
  std::mt19937_64 random(seed);
  std::vector<double> inputs;
  const auto push = [&](double x) {
    inputs.push_back(
        std::fabs(x) <= reach || std::isinf(x) || std::isnan(x) ? x : 1.5);
  };
  const auto withExponent = [&](uint64_t exponent) {
    push(
        std::bit_cast<double>((random() & ~(0x7ffull << 52)) | exponent << 52));
  };
  for (uint64_t exponent = 0; exponent < 2047; ++exponent)
    for (int i = 0; i < 16; ++i)
      withExponent(exponent);
  for (uint64_t exponent = 1023 - 30; exponent < 1023 + 12; ++exponent)
    for (int i = 0; i < 1500; ++i)
      withExponent(exponent);
  for (double x :
       {0.0, 1.0, 0.5, 5e-324, 2.2250738585072014e-308, 709.782712893384,
        709.7827128933841, 710.4758600739439, 745.1332191019411,
        1.7976931348623157e308, 5.95, 0.9999999999999999, 1.0000000000000002,
        0.7071067811865476, 3.141592653589793, 1.5707963267948966, 0x1p45}) {
    push(x);
    push(-x);
  }
  for (double x : {std::numeric_limits<double>::infinity(),
                   std::numeric_limits<double>::quiet_NaN()})
    inputs.insert(inputs.end(), {x, -x});
  while (inputs.size() % kBlock)
    inputs.push_back(1);
  return inputs;
}

namespace {
/// One level; its functions are compiled once.
class MathLibrary : public testing::TestWithParam<codegen::cpu::Level> {
protected:
  void SetUp() override {
    if (!isSupported(GetParam()))
      GTEST_SKIP() << "this machine does not run x86-64-"
                   << GetParam().name.str();
    std::unique_ptr<MathImage> &cached = images()[GetParam().name.str()];
    std::string error;
    if (!cached)
      cached = MathImage::load(unaryFunctions(), GetParam(), error);
    ASSERT_TRUE(cached) << error;
    image = cached.get();
  }
  static void TearDownTestSuite() { images().clear(); }

  /// Runs a function and its scalar form, which must agree, and gives the worst
  /// error against `expected`.
  template <typename T, typename Wide>
  void check(const std::string &name, const std::vector<T> &inputs,
             Wide (*expected)(Wide), double bound) {
    SCOPED_TRACE(name);
    std::vector<T> results(inputs.size()), scalars(inputs.size());
    image->find(name)(inputs.data(), nullptr, results.data(),
                      int64_t(inputs.size()));
    image->find(name + ".scalar")(inputs.data(), nullptr, scalars.data(),
                                  int64_t(inputs.size()));
    double worst = 0;
    size_t at = 0;
    for (size_t i = 0; i < inputs.size(); ++i) {
      const bool same = std::memcmp(&results[i], &scalars[i], sizeof(T)) == 0;
      ASSERT_TRUE(same || (std::isnan(results[i]) && std::isnan(scalars[i])))
          << "vector " << results[i] << ", scalar " << scalars[i] << " at "
          << inputs[i];
      const double off = unitsOff(results[i], expected(Wide(inputs[i])));
      if (off > worst) {
        worst = off;
        at = i;
      }
    }
    EXPECT_LE(worst, bound)
        << std::hexfloat << "at " << inputs[at] << ": " << results[at]
        << ", not " << expected(Wide(inputs[at]));
  }

  MathImage *image = nullptr;

private:
  static std::map<std::string, std::unique_ptr<MathImage>> &images() {
    static std::map<std::string, std::unique_ptr<MathImage>> map;
    return map;
  }
};
} // namespace

TEST_P(MathLibrary, ImportsNothing) {
  EXPECT_EQ(image->undefinedSymbols(), std::vector<std::string>());
}

TEST_P(MathLibrary, F32IsWithinItsBounds) {
  const std::vector<float> inputs = inputsF32();
  for (const UnaryCase &test : unaryCases())
    check<float, double>(std::string(test.name) + ".f32", inputs, test.narrow,
                         test.boundF32);
}

TEST_P(MathLibrary, F64IsWithinItsBounds) {
  for (const UnaryCase &test : unaryCases())
    check<double, long double>(std::string(test.name) + ".f64",
                               inputsF64(17, test.reach), test.wide,
                               test.boundF64);
}

TEST_P(MathLibrary, TrigonometricFunctionsOfLargeF64AreNaN) {
  for (const char *name :
       {"sin.f64.scalar", "cos.f64.scalar", "tan.f64.scalar"})
    for (double x : {0x1.0000001p45, -1e300}) {
      double result = 0;
      image->find(name)(&x, nullptr, &result, 1);
      EXPECT_TRUE(std::isnan(result)) << name << " of " << x;
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, MathLibrary,
                         testing::ValuesIn(codegen::cpu::levels()),
                         [](const auto &info) {
                           return info.param.name.str();
                         });

/// What the library may not import is checked for levels this machine lacks
/// too.
TEST(MathLibraryAnyLevel, ImportsNothing) {
  for (const codegen::cpu::Level &level : codegen::cpu::levels()) {
    std::string error;
    std::unique_ptr<MathImage> image =
        MathImage::load(unaryFunctions(), level, error);
    ASSERT_TRUE(image) << error;
    EXPECT_EQ(image->undefinedSymbols(), std::vector<std::string>())
        << level.name.str();
  }
}
