// SPDX-License-Identifier: Apache-2.0
// Products, convolutions and windows, against sums written out by hand.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

namespace {
/// A 2-d convolution or pool: sizes and window.
struct Case {
  int64_t batch, features, height, width, outputs, groups;
  int64_t kh, kw, sh, sw, top, left, bottom, right, dh, dw;

  int64_t outHeight() const {
    return (height + top + bottom - (kh - 1) * dh - 1) / sh + 1;
  }
  int64_t outWidth() const {
    return (width + left + right - (kw - 1) * dw - 1) / sw + 1;
  }
  Attributes windowAttributes() const {
    return {{"strides", List{sh, sw}},
            {"low", List{top, left}},
            {"high", List{bottom, right}},
            {"dilations", List{dh, dw}}};
  }
};
} // namespace

static Case randomCase(std::mt19937 &rng) {
  const auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(rng);
  };
  Case c{};
  c.groups = draw(1, 3);
  c.batch = draw(1, 2);
  c.features = c.groups * draw(1, 5);
  c.outputs = c.groups * draw(1, 5);
  c.kh = draw(1, 3);
  c.kw = draw(1, 3);
  c.sh = draw(1, 3);
  c.sw = draw(1, 2);
  c.dh = draw(1, 2);
  c.dw = draw(1, 3);
  c.top = draw(-1, 2);
  c.left = draw(0, 2);
  c.bottom = draw(0, 2);
  c.right = draw(-1, 1);
  c.height = draw(1, 6) + (c.kh - 1) * c.dh + 1;
  c.width = draw(1, 9) + (c.kw - 1) * c.dw + 1;
  return c;
}

/// Calls body(b, oy, ox, i, y, x, ky, kx) for all that lies inside the input.
template <typename Body>
static void forEachProduct(const Case &c, int64_t b, int64_t oy, int64_t ox,
                           Body body) {
  for (int64_t ky = 0; ky < c.kh; ++ky)
    for (int64_t kx = 0; kx < c.kw; ++kx) {
      const int64_t y = oy * c.sh + ky * c.dh - c.top,
                    x = ox * c.sw + kx * c.dw - c.left;
      if (y >= 0 && y < c.height && x >= 0 && x < c.width)
        body(y, x, ky, kx);
    }
}

/// Input [b][f][y][x] and filter [o][i][ky][kx], the sums in T.
template <typename Sum, typename T>
static std::vector<Sum> convolve(const Case &c, const std::vector<T> &input,
                                 const std::vector<T> &filter) {
  std::vector<Sum> sums;
  const int64_t perGroup = c.features / c.groups;
  for (int64_t b = 0; b < c.batch; ++b)
    for (int64_t o = 0; o < c.outputs; ++o)
      for (int64_t oy = 0; oy < c.outHeight(); ++oy)
        for (int64_t ox = 0; ox < c.outWidth(); ++ox) {
          Sum sum = 0;
          forEachProduct(
              c, b, oy, ox, [&](int64_t y, int64_t x, int64_t ky, int64_t kx) {
                for (int64_t i = 0; i < perGroup; ++i) {
                  const int64_t f = o / (c.outputs / c.groups) * perGroup + i;
                  sum += Sum(input[size_t(
                             ((b * c.features + f) * c.height + y) * c.width +
                             x)]) *
                         Sum(filter[size_t(
                             ((o * perGroup + i) * c.kh + ky) * c.kw + kx)]);
                }
              });
          sums.push_back(sum);
        }
  return sums;
}

static HostTensor channelsLast(const HostTensor &x) {
  const Shape &s = x.type.shape;
  return eval("transpose", {x}, {x.type.dtype, {s[0], s[2], s[3], s[1]}},
              {{"permutation", List{0, 2, 3, 1}}});
}

template <typename T>
static void checkConv(const Case &c, const HostTensor &input,
                      const HostTensor &filter,
                      const std::vector<double> &expected, double bound) {
  const Shape shape{c.batch, c.outputs, c.outHeight(), c.outWidth()};
  Attributes attributes = c.windowAttributes();
  attributes["groups"] = c.groups;
  HostTensor result =
      eval("conv", {input, filter}, {dtypeOf<T>(), shape}, attributes);
  expectNear<T>(result, expected, bound);
  attributes["layout"] = "channels_last";
  HostTensor last = eval(
      "conv", {channelsLast(input), filter},
      {dtypeOf<T>(), {shape[0], shape[2], shape[3], shape[1]}}, attributes);
  EXPECT_EQ(last.bytes, channelsLast(result).bytes);
}

TEST(ReferenceConv, AgreesWithSumsOfProducts) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    Random random(seed);
    const Case c = randomCase(random.rng);
    if (c.height + c.top + c.bottom < (c.kh - 1) * c.dh + 1)
      continue;
    HostTensor input = randomTensor<float>(
        random.rng, {c.batch, c.features, c.height, c.width});
    HostTensor filter = randomTensor<float>(
        random.rng, {c.outputs, c.features / c.groups, c.kh, c.kw});
    checkConv<float>(
        c, input, filter,
        convolve<double>(c, valuesOf<float>(input), valuesOf<float>(filter)),
        6e-8);
  }
}

TEST(ReferenceConv, IntegersWrap) {
  Random random(7);
  const Case c{1, 2, 5, 5, 3, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  HostTensor input = randomTensor<int8_t>(random.rng, {1, 2, 5, 5}, 127);
  HostTensor filter = randomTensor<int8_t>(random.rng, {3, 2, 3, 3}, 127);
  std::vector<double> expected;
  for (int64_t sum :
       convolve<int64_t>(c, valuesOf<int8_t>(input), valuesOf<int8_t>(filter)))
    expected.push_back(double(int8_t(sum)));
  checkConv<int8_t>(c, input, filter, expected, 0);
}

TEST(ReferenceConv, PaddingTakesNoPart) {
  // An infinite weight over padding would give NaN if zeros took part.
  const Case c{1, 1, 2, 2, 1, 1, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  HostTensor input = tensor<float>({1, 1, 2, 2}, {1, 1, 1, 1});
  std::vector<float> weights(9, 1);
  weights[0] = kInf;
  Attributes attributes = c.windowAttributes();
  attributes["groups"] = int64_t(1);
  HostTensor result =
      eval("conv", {input, tensor<float>({1, 1, 3, 3}, weights)},
           {DType::F32, {1, 1, 2, 2}}, attributes);
  expectBits(valuesOf<float>(result), {4, 4, 4, kInf});
}

TEST(ReferenceConv, OneAndThreeDimensions) {
  Random random(3);
  HostTensor x = randomTensor<float>(random.rng, {1, 2, 7}),
             w = randomTensor<float>(random.rng, {3, 2, 2});
  const Attributes line{{"strides", List{2}},
                        {"low", List{1}},
                        {"high", List{0}},
                        {"dilations", List{3}},
                        {"groups", int64_t(1)}};
  // The same as two dimensions, one of them of size 1.
  const Attributes plane{{"strides", List{1, 2}},
                         {"low", List{0, 1}},
                         {"high", List{0, 0}},
                         {"dilations", List{1, 3}},
                         {"groups", int64_t(1)}};
  const Attributes space{{"strides", List{1, 2, 1}},
                         {"low", List{0, 1, 0}},
                         {"high", List{0, 0, 0}},
                         {"dilations", List{1, 3, 1}},
                         {"groups", int64_t(1)}};
  const auto as = [](const HostTensor &tensor, Shape shape) {
    return eval("reshape", {tensor}, {tensor.type.dtype, shape});
  };
  HostTensor one = eval("conv", {x, w}, {DType::F32, {1, 3, 3}}, line);
  HostTensor two = eval("conv", {as(x, {1, 2, 1, 7}), as(w, {3, 2, 1, 2})},
                        {DType::F32, {1, 3, 1, 3}}, plane);
  HostTensor three =
      eval("conv", {as(x, {1, 2, 1, 7, 1}), as(w, {3, 2, 1, 2, 1})},
           {DType::F32, {1, 3, 1, 3, 1}}, space);
  EXPECT_EQ(one.bytes, two.bytes);
  EXPECT_EQ(one.bytes, three.bytes);
}

TEST(ReferenceWindow, AgreesWithLoops) {
  for (unsigned seed = 100; seed < 140; ++seed) {
    Random random(seed);
    Case c = randomCase(random.rng);
    if (c.height + c.top + c.bottom < (c.kh - 1) * c.dh + 1)
      continue;
    HostTensor input = randomTensor<float>(
        random.rng, {c.batch, c.features, c.height, c.width});
    const std::vector<float> values = valuesOf<float>(input);
    std::vector<double> sum, max, mean, padded;
    for (int64_t b = 0; b < c.batch; ++b)
      for (int64_t f = 0; f < c.features; ++f)
        for (int64_t oy = 0; oy < c.outHeight(); ++oy)
          for (int64_t ox = 0; ox < c.outWidth(); ++ox) {
            double s = 0, m = -HUGE_VAL, n = 0;
            forEachProduct(
                c, b, oy, ox, [&](int64_t y, int64_t x, int64_t, int64_t) {
                  const double v = double(values[size_t(
                      ((b * c.features + f) * c.height + y) * c.width + x)]);
                  s += v;
                  m = std::max(m, v);
                  ++n;
                });
            sum.push_back(s);
            max.push_back(m);
            mean.push_back(s / std::max(n, 1.0));
            padded.push_back(s /
                             double(c.kh * c.kw)); // All inside what is padded.
          }
    const TensorType type{DType::F32,
                          {c.batch, c.features, c.outHeight(), c.outWidth()}};
    Attributes attributes = c.windowAttributes();
    attributes["window"] = List{c.kh, c.kw};
    expectNear<float>(eval("avg_pool", {input}, type, attributes), mean, 1e-7);
    attributes["count_padding"] = int64_t(1);
    expectNear<float>(eval("avg_pool", {input}, type, attributes), padded,
                      1e-7);
    attributes.erase("count_padding");
    attributes["kind"] = "sum";
    expectNear<float>(eval("window_reduce", {input}, type, attributes), sum,
                      1e-7);
    attributes["kind"] = "max";
    const std::vector<float> greatest =
        valuesOf<float>(eval("window_reduce", {input}, type, attributes));
    for (size_t i = 0; i < max.size(); ++i)
      EXPECT_EQ(double(greatest[i]), max[i]);
  }
}

TEST(ReferenceWindow, NeutralValuesAndNaN) {
  Attributes attributes{{"window", List{1}},    {"strides", List{1}},
                        {"low", List{1}},       {"high", List{0}},
                        {"dilations", List{1}}, {"kind", "max"}};
  HostTensor x = tensor<float>({1, 1, 2}, {kNaN, 1});
  const TensorType type{DType::F32, {1, 1, 3}};
  expectBits(valuesOf<float>(eval("window_reduce", {x}, type, attributes)),
             {-kInf, kNaN, 1});
  attributes["kind"] = "min";
  expectBits(valuesOf<float>(eval("window_reduce", {x}, type, attributes)),
             {kInf, kNaN, 1});
  attributes["kind"] = "prod";
  HostTensor integers = tensor<int32_t>({1, 1, 2}, {3, 4});
  expectBits(valuesOf<int32_t>(eval("window_reduce", {integers},
                                    {DType::I32, {1, 1, 3}}, attributes)),
             {1, 3, 4});
  attributes["kind"] = "max";
  expectBits(valuesOf<int32_t>(eval("window_reduce", {integers},
                                    {DType::I32, {1, 1, 3}}, attributes)),
             {INT32_MIN, 3, 4});
}

TEST(ReferenceDot, AgreesWithSumsOfProducts) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    Random random(seed);
    const auto draw = [&](int64_t most) {
      return std::uniform_int_distribution<int64_t>(1, most)(random.rng);
    };
    // lhs [k0, m, b, k1], rhs [b, k1, n, k0]: contract (k1, k0) with (k1, k0).
    const int64_t b = draw(3), m = draw(7), n = draw(20), k0 = draw(3),
                  k1 = draw(9);
    HostTensor lhs = randomTensor<float>(random.rng, {k0, m, b, k1});
    HostTensor rhs = randomTensor<float>(random.rng, {b, k1, n, k0});
    const std::vector<float> l = valuesOf<float>(lhs), r = valuesOf<float>(rhs);
    std::vector<double> expected;
    for (int64_t ib = 0; ib < b; ++ib)
      for (int64_t im = 0; im < m; ++im)
        for (int64_t in = 0; in < n; ++in) {
          double sum = 0;
          for (int64_t i1 = 0; i1 < k1; ++i1)
            for (int64_t i0 = 0; i0 < k0; ++i0)
              sum += double(l[size_t(((i0 * m + im) * b + ib) * k1 + i1)]) *
                     double(r[size_t(((ib * k1 + i1) * n + in) * k0 + i0)]);
          expected.push_back(sum);
        }
    expectNear<float>(eval("dot_general", {lhs, rhs}, {DType::F32, {b, m, n}},
                           {{"lhs_batch", List{2}},
                            {"rhs_batch", List{0}},
                            {"lhs_contract", List{3, 0}},
                            {"rhs_contract", List{1, 3}}}),
                      expected, 6e-8);
  }
}

TEST(ReferenceDot, IntegersWrapAndEmptySumsAreZero) {
  const Attributes matrix{{"lhs_batch", List{}},
                          {"rhs_batch", List{}},
                          {"lhs_contract", List{1}},
                          {"rhs_contract", List{0}}};
  HostTensor x = tensor<int8_t>({1, 2}, {100, 100}),
             y = tensor<int8_t>({2, 1}, {2, 1});
  expectBits(valuesOf<int8_t>(
                 eval("dot_general", {x, y}, {DType::I8, {1, 1}}, matrix)),
             {int8_t(300)});
  HostTensor left = HostTensor::zeros({DType::F32, {2, 0}});
  HostTensor right = HostTensor::zeros({DType::F32, {0, 3}});
  expectBits(valuesOf<float>(eval("dot_general", {left, right},
                                  {DType::F32, {2, 3}}, matrix)),
             std::vector<float>(6, 0));
}
