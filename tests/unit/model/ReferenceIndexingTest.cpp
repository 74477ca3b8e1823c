// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters.

#include "ReferenceHelpers.h"

using namespace smp;
using namespace smp::test;

static HostTensor floats(Shape shape, std::vector<float> values) {
  return tensor<float>(std::move(shape), values);
}

TEST(ReferenceIndexing, Gather) {
  HostTensor x = floats({3, 2}, {0, 1, 10, 11, 20, 21});
  HostTensor indices = tensor<int64_t>({2, 2}, {2, 0, 1, 2});
  expectBits(
      valuesOf<float>(eval("gather", {x, indices}, {DType::F32, {2, 2, 2}},
                           {{"axis", int64_t(0)}})),
      {20, 21, 0, 1, 10, 11, 20, 21});
  HostTensor one = tensor<int32_t>({}, {1});
  expectBits(valuesOf<float>(eval("gather", {x, one}, {DType::F32, {3}},
                                  {{"axis", int64_t(1)}})),
             {1, 11, 21});
}

TEST(ReferenceIndexing, GatherElementsAndNd) {
  HostTensor x = floats({2, 3}, {0, 1, 2, 10, 11, 12});
  HostTensor indices = tensor<int64_t>({2, 2}, {2, 0, 1, 1});
  expectBits(
      valuesOf<float>(eval("gather_elements", {x, indices},
                           {DType::F32, {2, 2}}, {{"axis", int64_t(1)}})),
      {2, 0, 11, 11});
  expectBits(valuesOf<float>(
                 eval("gather_nd", {x, tensor<int64_t>({2, 2}, {1, 2, 0, 1})},
                      {DType::F32, {2}}, {{"batch_dims", int64_t(0)}})),
             {12, 1});
  expectBits(
      valuesOf<float>(eval("gather_nd", {x, tensor<int64_t>({1, 1}, {1})},
                           {DType::F32, {1, 3}}, {{"batch_dims", int64_t(0)}})),
      {10, 11, 12});
  expectBits(
      valuesOf<float>(eval("gather_nd", {x, tensor<int64_t>({2, 1}, {2, 0})},
                           {DType::F32, {2}}, {{"batch_dims", int64_t(1)}})),
      {2, 10});
}

TEST(ReferenceIndexing, ErrorsNameOpIndexAndBound) {
  HostTensor x = floats({3, 2}, {0, 1, 2, 3, 4, 5});
  Evaluation result = call("gather", {x, tensor<int64_t>({1}, {3})},
                           {{DType::F32, {1, 2}}}, {{"axis", int64_t(0)}});
  EXPECT_EQ(result.error, "op 'node' (gather): index 3 is not in 0..2");
  result = call("gather_elements", {x, tensor<int64_t>({1, 1}, {-1})},
                {{DType::F32, {1, 1}}}, {{"axis", int64_t(1)}});
  EXPECT_EQ(result.error,
            "op 'node' (gather_elements): index -1 is not in 0..1");
  result = call("gather_nd", {x, tensor<int64_t>({1, 2}, {1, 2})},
                {{DType::F32, {1}}}, {{"batch_dims", int64_t(0)}});
  EXPECT_EQ(result.error, "op 'node' (gather_nd): index 2 is not in 0..1");
  result = call("scatter_elements",
                {x, tensor<int64_t>({1, 1}, {9}), floats({1, 1}, {0})},
                {x.type}, {{"axis", int64_t(0)}, {"kind", "sum"}});
  EXPECT_EQ(result.error,
            "op 'node' (scatter_elements): index 9 is not in 0..2");
  result =
      call("scatter_nd", {x, tensor<int64_t>({1, 2}, {0, 5}), floats({1}, {0})},
           {x.type}, {{"kind", "replace"}});
  EXPECT_EQ(result.error, "op 'node' (scatter_nd): index 5 is not in 0..1");
}

static std::vector<float> scatter(const char *kind) {
  HostTensor x = floats({3}, {1, 2, 3}),
             indices = tensor<int64_t>({4}, {0, 2, 0, 0});
  return valuesOf<float>(evalSame("scatter_elements",
                                  {x, indices, floats({4}, {4, 5, 2, 3})},
                                  {{"axis", int64_t(0)}, {"kind", kind}}));
}

TEST(ReferenceIndexing, ScatterDuplicatesInOrder) {
  expectBits(scatter("replace"), {3, 2, 5});
  expectBits(scatter("sum"), {10, 2, 8});
  expectBits(scatter("prod"), {24, 2, 15});
  expectBits(scatter("max"), {4, 2, 5});
  expectBits(scatter("min"), {1, 2, 3});
}

TEST(ReferenceIndexing, ScatterAlongAxesAndSlices) {
  HostTensor x = floats({2, 3}, {0, 0, 0, 0, 0, 0});
  expectBits(valuesOf<float>(evalSame(
                 "scatter_elements",
                 {x, tensor<int32_t>({2, 1}, {2, 0}), floats({2, 1}, {7, 8})},
                 {{"axis", int64_t(1)}, {"kind", "replace"}})),
             {0, 0, 7, 8, 0, 0});
  expectBits(valuesOf<float>(evalSame("scatter_nd",
                                      {x, tensor<int64_t>({2, 1}, {1, 1}),
                                       floats({2, 3}, {1, 2, 3, 10, 20, 30})},
                                      {{"kind", "sum"}})),
             {0, 0, 0, 11, 22, 33});
  expectBits(
      valuesOf<float>(evalSame(
          "scatter_nd", {x, tensor<int64_t>({1, 2}, {0, 1}), floats({1}, {5})},
          {{"kind", "replace"}})),
      {0, 5, 0, 0, 0, 0});
}
