// SPDX-License-Identifier: Apache-2.0
// Reductions, scans and sorting.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

template <typename T>
static std::vector<T> reduce(const char *kind, const HostTensor &x,
                             List dimensions, Shape shape) {
  return valuesOf<T>(eval("reduce", {x}, {x.type.dtype, shape},
                          {{"kind", kind}, {"dimensions", dimensions}}));
}

TEST(ReferenceReduce, EveryKind) {
  HostTensor x = tensor<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  expectBits(reduce<float>("sum", x, {1}, {2}), {6, 15});
  expectBits(reduce<float>("sum", x, {0}, {3}), {5, 7, 9});
  expectBits(reduce<float>("prod", x, {0, 1}, {}), {720});
  expectBits(reduce<float>("max", x, {1, 0}, {}), {6});
  expectBits(reduce<float>("min", x, {1}, {2}), {1, 4});
  expectBits(reduce<float>("sum", x, {}, {2, 3}), {1, 2, 3, 4, 5, 6});
  HostTensor bytes = tensor<uint8_t>({3}, {200, 100, 1});
  expectBits(reduce<uint8_t>("sum", bytes, {0}, {}), {45});
  expectBits(reduce<uint8_t>("max", bytes, {0}, {}), {200});
}

TEST(ReferenceReduce, SumsInDouble) {
  HostTensor x = tensor<float>({3}, {1e8f, 1, -1e8f});
  expectBits(reduce<float>("sum", x, {0}, {}), {1});
}

TEST(ReferenceReduce, NoPartOfASumOverflows) {
  const float most = std::numeric_limits<float>::max();
  expectBits(
      reduce<float>("sum", tensor<float>({3}, {most, most, -most}), {0}, {}),
      {most});
  expectBits(reduce<float>("sum", tensor<float>({3}, {most, most, 1}), {0}, {}),
             {kInf});
  const double greatest = std::numeric_limits<double>::max();
  expectBits(
      reduce<double>(
          "sum", tensor<double>({3}, {greatest, greatest, -greatest}), {0}, {}),
      {greatest});
  // Products are taken in f64, in order.
  expectBits(reduce<float>("prod",
                           tensor<float>({4}, {1e30f, 1e30f, 1e-30f, 1e-30f}),
                           {0}, {}),
             {float(double(1e30f) * 1e30f * 1e-30f * 1e-30f)});
  expectBits(reduce<double>("prod", tensor<double>({3}, {1e200, 1e200, 1e-200}),
                            {0}, {}),
             {std::numeric_limits<double>::infinity()});
}

TEST(ReferenceReduce, ZerosOfBothSigns) {
  HostTensor zeros = tensor<float>({3}, {-0.0f, 0.0f, -0.0f});
  expectBits(reduce<float>("max", zeros, {0}, {}), {0.0f});
  expectBits(reduce<float>("min", zeros, {0}, {}), {-0.0f});
}

TEST(ReferenceReduce, NaNAndEmpty) {
  HostTensor x = tensor<float>({2, 2}, {1, kNaN, 3, 4});
  expectBits(reduce<float>("max", x, {1}, {2}), {kNaN, 4});
  expectBits(reduce<float>("min", x, {1}, {2}), {kNaN, 3});
  HostTensor empty = HostTensor::zeros({DType::F32, {2, 0}});
  expectBits(reduce<float>("sum", empty, {1}, {2}), {0, 0});
  expectBits(reduce<float>("prod", empty, {1}, {2}), {1, 1});
  expectBits(reduce<float>("max", empty, {1}, {2}), {-kInf, -kInf});
  expectBits(
      reduce<int32_t>("min", HostTensor::zeros({DType::I32, {0}}), {0}, {}),
      {INT32_MAX});
  expectBits(
      reduce<uint8_t>("max", HostTensor::zeros({DType::U8, {0}}), {0}, {}),
      {0});
  expectBits(
      reduce<int64_t>("max", HostTensor::zeros({DType::I64, {0}}), {0}, {}),
      {INT64_MIN});
}

TEST(ReferenceReduce, BoolIsOrAndAnd) {
  HostTensor x = tensor<bool>({2, 2}, {true, false, true, true});
  expectBits(reduce<bool>("max", x, {1}, {2}), {true, true});
  expectBits(reduce<bool>("min", x, {1}, {2}), {false, true});
  expectBits(
      reduce<bool>("min", HostTensor::zeros({DType::Bool, {0}}), {0}, {}),
      {true});
  EXPECT_FALSE(call("reduce", {x}, {{DType::Bool, {2}}},
                    {{"kind", "sum"}, {"dimensions", List{1}}})
                   .ok());
}

static std::vector<int64_t> argReduce(const char *kind, std::vector<float> x,
                                      bool last = false) {
  Attributes attributes{{"kind", kind}, {"axis", int64_t(0)}};
  if (last)
    attributes["select_last"] = int64_t(1);
  return valuesOf<int64_t>(eval("arg_reduce",
                                {tensor<float>({int64_t(x.size())}, x)},
                                {DType::I64, {}}, attributes));
}

TEST(ReferenceReduce, ArgReduce) {
  expectBits(argReduce("max", {1, 3, 3, 2}), {1});
  expectBits(argReduce("max", {1, 3, 3, 2}, /*last=*/true), {2});
  expectBits(argReduce("min", {1, 3, 0, 0}), {2});
  expectBits(argReduce("max", {1, kNaN, kInf, kNaN}), {1});
  expectBits(argReduce("min", {1, kNaN, -kInf, kNaN}, /*last=*/true), {1});
  expectBits(argReduce("max", {-0.0f, 0}), {0});
  HostTensor x = tensor<int32_t>({2, 2}, {1, 4, 3, 2});
  expectBits(valuesOf<int64_t>(eval("arg_reduce", {x}, {DType::I64, {2}},
                                    {{"kind", "max"}, {"axis", int64_t(0)}})),
             {1, 0});
}

template <typename T>
static std::vector<T> scan(const HostTensor &x, const char *kind, int64_t axis,
                           bool exclusive, bool reverse) {
  return valuesOf<T>(evalSame("scan", {x},
                              {{"kind", kind},
                               {"axis", axis},
                               {"exclusive", int64_t(exclusive)},
                               {"reverse", int64_t(reverse)}}));
}

TEST(ReferenceReduce, Scan) {
  HostTensor x = tensor<int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  expectBits(scan<int32_t>(x, "sum", 1, false, false), {1, 3, 6, 4, 9, 15});
  expectBits(scan<int32_t>(x, "sum", 0, false, false), {1, 2, 3, 5, 7, 9});
  expectBits(scan<int32_t>(x, "sum", 1, true, false), {0, 1, 3, 0, 4, 9});
  expectBits(scan<int32_t>(x, "sum", 1, false, true), {6, 5, 3, 15, 11, 6});
  expectBits(scan<int32_t>(x, "prod", 1, true, true), {6, 3, 1, 30, 6, 1});
  HostTensor y = tensor<float>({4}, {1, kNaN, 3, 2});
  expectBits(scan<float>(y, "max", 0, false, false), {1, kNaN, kNaN, kNaN});
  expectBits(scan<float>(y, "min", 0, true, true), {kNaN, 2, 2, kInf});
}

static void expectTopK(std::vector<float> x, int64_t k, bool largest,
                       std::vector<float> values,
                       std::vector<int64_t> indices) {
  Evaluation result =
      call("top_k", {tensor<float>({int64_t(x.size())}, x)},
           {{DType::F32, {k}}, {DType::I64, {k}}},
           {{"axis", int64_t(0)}, {"k", k}, {"largest", int64_t(largest)}});
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<float>(result.results[0]), values);
  expectBits(valuesOf<int64_t>(result.results[1]), indices);
}

TEST(ReferenceReduce, TopKIsStableAndNaNIsGreatest) {
  expectTopK({1, 3, 3, 2}, 3, true, {3, 3, 2}, {1, 2, 3});
  expectTopK({2, 1, 2, 1}, 4, false, {1, 1, 2, 2}, {1, 3, 0, 2});
  expectTopK({1, kNaN, kInf, kNaN}, 3, true, {kNaN, kNaN, kInf}, {1, 3, 2});
  expectTopK({kNaN, 1, -kInf}, 3, false, {-kInf, 1, kNaN}, {2, 1, 0});
  expectTopK({-0.0f, 0, -0.0f}, 3, true, {-0.0f, 0, -0.0f}, {0, 1, 2});
  expectTopK({5}, 0, true, {}, {});
}

TEST(ReferenceReduce, TopKAlongAnInnerAxis) {
  HostTensor x =
      tensor<int32_t>({2, 3, 2}, {1, 60, 3, 40, 2, 50, 7, 0, 9, 0, 8, 1});
  Evaluation result =
      call("top_k", {x}, {{DType::I32, {2, 2, 2}}, {DType::I64, {2, 2, 2}}},
           {{"axis", int64_t(1)}, {"k", int64_t(2)}, {"largest", int64_t(1)}});
  ASSERT_TRUE(result.ok()) << result.error;
  expectBits(valuesOf<int32_t>(result.results[0]), {3, 60, 2, 50, 9, 1, 8, 0});
  expectBits(valuesOf<int64_t>(result.results[1]), {1, 0, 2, 2, 1, 2, 2, 0});
}
