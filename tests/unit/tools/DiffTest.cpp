// SPDX-License-Identifier: Apache-2.0
// smp-checkpoint diff.
#include "Blocks.h"
#include "DiffValues.h"
#include "SmpCheckpointFixture.h"
#include "smp/tools/TensorBundle.h"
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <random>

using namespace smp;
using namespace smp::test;
using nlohmann::json;

namespace {

struct SmpCheckpointDiff : SmpCheckpoint {
  template <typename T>
  void write(const std::string &prefix, DType dtype, const Shape &shape,
             const std::vector<T> &values) {
    const TensorToBundle tensor{
        "x", {dtype, shape}, std::as_bytes(std::span(values)), {}};
    const Status status = writeTensorBundle({&tensor, 1}, folder.file(prefix));
    ASSERT_TRUE(status.ok()) << status.message();
  }
  /// Of two bundles of a tensor `x`.
  template <typename T>
  json differenceOf(DType dtype, const Shape &shape, std::vector<T> one,
                    std::vector<T> other) {
    const std::string number = std::to_string(count++);
    write("tf/one" + number, dtype, shape, one);
    write("tf/other" + number, dtype, shape, other);
    const int code = run("diff --json tf/one" + number + " tf/other" + number);
    EXPECT_TRUE(code == 0 || code == 1) << err;
    const json result = json::parse(out);
    EXPECT_EQ(result["differences"].empty(), code == 0);
    EXPECT_EQ(result["tensors"], 1);
    return code == 0 ? json() : result["differences"][0];
  }
  int count = 0;
};

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(),
                kInfinity = std::numeric_limits<float>::infinity();

} // namespace

TEST_F(SmpCheckpointDiff, ACheckpointIsEqualToItself) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  save(manager);
  EXPECT_EQ(run("diff run/ckpt-1 run/ckpt-1"), 0) << err;
  EXPECT_EQ(out, "3 tensors are equal\n");
  // But for the number of saves.
  EXPECT_EQ(run("diff run/ckpt-1 run/ckpt-2"), 1) << err;
  EXPECT_NE(out.find("\nsave_counter  "), std::string::npos) << out;
  EXPECT_NE(out.find("\n1 of 3 tensors differ\n"), std::string::npos) << out;
  for (const char *name : {"objects", "sliced", "types"})
    EXPECT_EQ(run("diff " + golden + name + " " + golden + name), 0) << err;
  ASSERT_EQ(run("convert run/ckpt-1 tf/ckpt-1"), 0) << err;
  EXPECT_EQ(run("diff run/ckpt-1 tf/ckpt-1 --json"), 0) << err;
  EXPECT_EQ(json::parse(out)["differences"], json::array());
}

TEST_F(SmpCheckpointDiff, OneStepOfTrainingIsSeen) {
  Trained session;
  auto manager = managerOf(Checkpoint{{"model", session}}, "run");
  save(manager);
  session.step();
  save(manager);
  EXPECT_EQ(run("diff run/ckpt-1 run/ckpt-2"), 1);
  EXPECT_EQ(out.find("name          in ONE"), 0u) << out;
  EXPECT_NE(out.find("\nmodel/w  "), std::string::npos) << out;
  EXPECT_NE(out.find("\n3 of 3 tensors differ\n"), std::string::npos) << out;
}

TEST_F(SmpCheckpointDiff, ElementsAreComparedByTheirBits) {
  const json difference =
      differenceOf<float>(DType::F32, {2, 3}, {1, kNaN, 3, 0, kInfinity, 2},
                          {1, kNaN, 2, -0.0f, 7, kNaN});
  EXPECT_EQ(difference["one"], "f32[2x3]");
  EXPECT_EQ(difference["elements"], 6);
  EXPECT_EQ(difference["differing"], 4);
  EXPECT_EQ(difference["withoutNumber"], 2);
  EXPECT_EQ(difference["largestAbsolute"], 1.0);
  EXPECT_DOUBLE_EQ(difference["largestRelative"].get<double>(), 1.0 / 3);
  EXPECT_EQ(difference["first"], json({0, 2}));
  EXPECT_EQ(differenceOf<float>(DType::F32, {2}, {kNaN, 0}, {kNaN, 0}), json());
  const json zero = differenceOf<float>(DType::F32, {}, {0}, {-0.0f});
  EXPECT_EQ(zero["differing"], 1);
  EXPECT_EQ(zero["largestAbsolute"], 0);
  EXPECT_EQ(zero["largestRelative"], 0);
  EXPECT_EQ(zero["first"], json::array());
  EXPECT_EQ(
      differenceOf<float>(DType::F32, {1}, {kNaN}, {1})["largestAbsolute"],
      json());
}

TEST_F(SmpCheckpointDiff, NumbersOfEveryTypeAreExact) {
  auto distanceOf = [&]<typename T>(DType dtype, T one, T other) {
    return differenceOf<T>(dtype, {1}, {one}, {other})["largestAbsolute"]
        .template get<double>();
  };
  const int64_t large = int64_t(1) << 60;
  EXPECT_EQ(distanceOf(DType::I64, large + 1, large), 1);
  EXPECT_EQ(distanceOf(DType::I64, INT64_MIN, INT64_MAX), 0x1p64);
  EXPECT_EQ(distanceOf(DType::U64, UINT64_MAX, UINT64_MAX - 1), 1);
  EXPECT_EQ(distanceOf(DType::F64, 1.0, 1.5), 0.5);
  EXPECT_EQ(distanceOf(DType::BF16, uint16_t(0x3f80), uint16_t(0x4000)), 1);
  EXPECT_EQ(distanceOf(DType::F16, uint16_t(0x3c00), uint16_t(0x4000)), 1);
  EXPECT_EQ(distanceOf(DType::I8, int8_t(-128), int8_t(127)), 255);
  EXPECT_EQ(distanceOf(DType::Bool, uint8_t(0), uint8_t(1)), 1);
}

TEST_F(SmpCheckpointDiff, TypesAndShapesAreTold) {
  const std::vector<float> values(6);
  write("tf/wide", DType::F32, {2, 3}, values);
  write("tf/high", DType::F32, {3, 2}, values);
  write("tf/whole", DType::I32, {2, 3}, values);
  for (const auto &[other, type] :
       {std::pair("high", "f32[3x2]"), std::pair("whole", "i32[2x3]")}) {
    EXPECT_EQ(run(std::string("diff --json tf/wide tf/") + other), 1) << err;
    EXPECT_EQ(json::parse(out)["differences"][0],
              json({{"name", "x"}, {"one", "f32[2x3]"}, {"other", type}}));
  }
}

TEST(DiffValues, TextsAndBitsHaveNoNumbers) {
  const auto texts =
      diffTexts({2, 2}, {"a", "b", "c", "d"}, {"a", "x", "c", "y"});
  EXPECT_EQ(texts.elements, 4u);
  EXPECT_EQ(texts.differing, 2u);
  EXPECT_EQ(texts.withoutNumber, 2u);
  EXPECT_EQ(texts.first, (Shape{0, 1}));
  std::vector<std::byte> one(17), other(17);
  other[9] = other[16] = std::byte(1);
  const auto bits = diffBits({2}, one, other);
  EXPECT_EQ(bits.differing, 1u);
  EXPECT_EQ(bits.first, Shape{1});
  EXPECT_EQ(diffBits({2}, one, one).differing, 0u);
  EXPECT_EQ(diffBits({0}, {}, {}).elements, 0u);
}

TEST_F(SmpCheckpointDiff, WhatCannotBeComparedIsNeitherEqualNorDifferent) {
  write("tf/one", DType::F32, {1}, std::vector<float>{1});
  expectError("diff tf/one tf/nobody", "there is no checkpoint 'tf/nobody'", 2);
  EXPECT_EQ(run("diff tf/one"), 2);
  EXPECT_EQ(run("diff tf/one tf/one --wrong"), 2);
  EXPECT_EQ(run("diff --help"), 0);
  EXPECT_NE(out.find("a NaN is equal to itself"), std::string::npos);
  write("tf/other", DType::F32, {1}, std::vector<float>{1});
  folder.write("tf/other.data-00000-of-00001", "abcd");
  expectError("diff tf/one tf/other", "tf/other.data-00000-of-00001", 2);
}

/// Blocks are large enough, small enough, and all of the box in its order.
TEST(Blocks, FollowEachOther) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  for (int i = 0; i < 200; ++i) {
    Shape offset, extent;
    const size_t elementBytes = size_t(1) << random() % 4;
    for (unsigned d = random() % 5; d > 0; --d) {
      offset.push_back(random() % 3);
      extent.push_back(1 + int64_t(random() % (random() % 8 ? 12 : 700)));
    }
    if (numElements(extent) > int64_t(1) << 24)
      continue;
    const TensorSlice box{offset, extent};
    const Shape strides = rowMajorStrides(extent);
    int64_t next = 0;
    const Status status =
        forEachBlock(box, elementBytes, [&](const TensorSlice &block) {
          int64_t first = 0, last = 0;
          for (size_t d = 0; d < extent.size(); ++d) {
            first += (block.offset[d] - offset[d]) * strides[d];
            last += (block.offset[d] + block.extent[d] - 1 - offset[d]) *
                    strides[d];
          }
          const int64_t elements = numElements(block.extent);
          EXPECT_EQ(first, next);
          EXPECT_EQ(last, next + elements - 1);
          EXPECT_LE(size_t(elements) * elementBytes, kBlockBytes);
          next += elements;
          return Status();
        });
    EXPECT_TRUE(status.ok());
    EXPECT_EQ(next, numElements(extent));
  }
  const auto never = [](const TensorSlice &) { return internalError("never"); };
  EXPECT_TRUE(forEachBlock(wholeOf({3, 0}), 4, never).ok());
  EXPECT_FALSE(forEachBlock(wholeOf({}), 4, never).ok());
}
