// SPDX-License-Identifier: Apache-2.0
// What devices have and write, against a look at every element.
#include "Layouts.h"
#include "smp/model/ShardedValue.h"
#include <map>
#include <set>

using namespace smp;
using namespace smp::test;

namespace {

/// The extents of an axis' parts.
std::vector<int64_t> cut(int64_t length, int64_t parts) {
  const Layout layout = *Layout::create({"x"}, meshOf({parts}));
  std::vector<int64_t> extents;
  int64_t next = 0;
  for (int64_t id = 0; id < parts; ++id) {
    const TensorSlice shard = shardOf(layout, {length}, id);
    EXPECT_EQ(shard.offset[0], next) << "device " << id;
    next += shard.extent[0];
    extents.push_back(shard.extent[0]);
  }
  EXPECT_EQ(next, length);
  return extents;
}

std::string describe(const Layout &layout, const Shape &shape) {
  return toString(layout) + " of " + toString(shape);
}

/// Whether a device has an element: along each sharded axis it is in the chunk
/// whose number is the device's coordinate.
bool has(const Layout &layout, const Shape &shape, int64_t id,
         const Shape &at) {
  const Mesh &mesh = layout.mesh();
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const auto d = mesh.find(layout.specs()[axis]);
    if (!d)
      continue;
    const int64_t parts = mesh.dimensions()[*d].size;
    const int64_t chunk = (shape[axis] + parts - 1) / parts;
    if (at[axis] / chunk != mesh.coordinates(id)[*d])
      return false;
  }
  return true;
}

void checkShards(const Layout &layout, const Shape &shape) {
  for (int64_t id : layout.mesh().globalDeviceIds()) {
    const TensorSlice shard = shardOf(layout, shape, id);
    std::set<Shape> elements;
    forEachElement(shard.extent, [&](const Shape &at) {
      elements.insert(sum(at, shard.offset));
    });
    forEachElement(shape, [&](const Shape &at) {
      ASSERT_EQ(elements.count(at) == 1, has(layout, shape, id, at))
          << "device " << id << ", " << describe(layout, shape);
    });
    for (size_t d = 0; d < shape.size(); ++d)
      ASSERT_LE(shard.offset[d] + shard.extent[d], shape[d]);
  }
}

/// The lowest device that has an element writes it, and no other does.
void checkWriters(const Layout &layout, const Shape &shape) {
  std::map<Shape, std::vector<int64_t>> writers;
  int64_t last = -1;
  for (const SliceWriter &writer : sliceWriters(layout, shape)) {
    ASSERT_GT(writer.deviceId, last);
    last = writer.deviceId;
    ASSERT_EQ(writer.slice, shardOf(layout, shape, writer.deviceId));
    ASSERT_GT(numElements(writer.slice.extent), 0);
    forEachElement(writer.slice.extent, [&](const Shape &at) {
      writers[sum(at, writer.slice.offset)].push_back(writer.deviceId);
    });
  }
  forEachElement(shape, [&](const Shape &at) {
    int64_t lowest = 0;
    while (!has(layout, shape, lowest, at))
      ++lowest;
    ASSERT_EQ(writers[at], std::vector<int64_t>{lowest})
        << describe(layout, shape);
  });
}

std::vector<SliceWriter> writersOf(std::vector<std::string> specs,
                                   const Mesh &mesh, const Shape &shape) {
  return sliceWriters(*Layout::create(std::move(specs), mesh), shape);
}

} // namespace

TEST(Shards, AxesAreCutIntoChunks) {
  using Parts = std::vector<int64_t>;
  EXPECT_EQ(cut(8, 4), (Parts{2, 2, 2, 2}));
  EXPECT_EQ(cut(5, 2), (Parts{3, 2}));
  EXPECT_EQ(cut(5, 4), (Parts{2, 2, 1, 0}));
  EXPECT_EQ(cut(9, 4), (Parts{3, 3, 3, 0}));
  EXPECT_EQ(cut(2, 4), (Parts{1, 1, 0, 0}));
  EXPECT_EQ(cut(0, 3), (Parts{0, 0, 0}));
  EXPECT_EQ(cut(7, 1), (Parts{7}));
  const int64_t quarter = (INT64_MAX >> 2) + 1;
  EXPECT_EQ(cut(INT64_MAX, 4), (Parts{quarter, quarter, quarter, quarter - 1}));
}

TEST(Shards, OfATensorOnAGrid) {
  const Layout layout = *Layout::create({"x", "y"}, meshOf({2, 4}));
  EXPECT_EQ(shardOf(layout, {8, 4}, 0), (TensorSlice{{0, 0}, {4, 1}}));
  EXPECT_EQ(shardOf(layout, {8, 4}, 5), (TensorSlice{{4, 1}, {4, 1}}));
  EXPECT_EQ(shardOf(layout, {8, 5}, 7), (TensorSlice{{4, 5}, {4, 0}}));
  const Layout later =
      *Layout::fromString("sharding_specs:x, mesh:|x=2|7,8|7,8|cpu:0,cpu:1");
  EXPECT_EQ(shardOf(later, {6}, 8), (TensorSlice{{3}, {3}}));
}

TEST(Shards, AreThoseOfEveryElement) {
  for (const std::vector<int64_t> &sizes :
       {std::vector<int64_t>{1}, {3}, {2, 4}, {4, 2}, {2, 2, 2}, {1, 3, 2}}) {
    const Mesh mesh = meshOf(sizes);
    for (const Shape &shape : {Shape{},
                               {0},
                               {1},
                               {5},
                               {8},
                               {5, 3},
                               {4, 8},
                               {0, 4},
                               {1, 7},
                               {3, 2, 5},
                               {4, 4, 2},
                               {2, 0, 3}})
      for (const Layout &layout : layoutsOn(mesh, shape.size())) {
        ASSERT_EQ(checkShape(layout, shape), std::nullopt);
        checkShards(layout, shape);
        if (numElements(shape) > 0)
          checkWriters(layout, shape);
      }
  }
}

TEST(Shards, TheLowestDeviceWritesASlice) {
  const Mesh mesh = meshOf({2, 4});
  EXPECT_EQ(
      writersOf({"x", "unsharded"}, mesh, {8, 4}),
      (std::vector<SliceWriter>{{0, {{0, 0}, {4, 4}}}, {4, {{4, 0}, {4, 4}}}}));
  EXPECT_EQ(writersOf({"unsharded", "y"}, mesh, {8, 4}).size(), 4u);
  // What all have, and what is not cut, is the first device's.
  EXPECT_EQ(writersOf({"unsharded", "unsharded"}, mesh, {8, 4}),
            (std::vector<SliceWriter>{{0, {{0, 0}, {8, 4}}}}));
  EXPECT_EQ(writersOf({}, mesh, {}), (std::vector<SliceWriter>{{0, {}}}));
  EXPECT_EQ(writersOf({"y"}, mesh, {1}),
            (std::vector<SliceWriter>{{0, {{0}, {1}}}}));
}

TEST(Shards, ATensorWithoutElementsIsWrittenToo) {
  for (const std::vector<std::string> &specs :
       {std::vector<std::string>{"x", "y"}, {"unsharded", "x"}})
    EXPECT_EQ(writersOf(specs, meshOf({2, 4}), {0, 4}),
              (std::vector<SliceWriter>{{0, {{0, 0}, {0, 4}}}}));
}

TEST(Shards, WritersGoByTheIdsOfTheMesh) {
  const Mesh later = *Mesh::fromString("|x=2|7,8|8|cpu:0");
  EXPECT_EQ(writersOf({"unsharded"}, later, {3}),
            (std::vector<SliceWriter>{{7, {{0}, {3}}}}));
  EXPECT_EQ(writersOf({"x"}, later, {3}),
            (std::vector<SliceWriter>{{7, {{0}, {2}}}, {8, {{2}, {1}}}}));
}

TEST(Shards, SlicesAreWrittenAsTensorFlowDoes) {
  EXPECT_EQ(sliceSpec({{0, 0}, {4, 4}}, {8, 4}), "8 4 0,4:-");
  EXPECT_EQ(sliceSpec({{4, 1}, {4, 1}}, {8, 4}), "8 4 4,4:1,1");
  EXPECT_EQ(sliceSpec({{0, 0}, {8, 4}}, {8, 4}), "");
  EXPECT_EQ(sliceSpec({}, {}), "");
}

TEST(Shards, WhatDoesNotFitIsRefused) {
  const Mesh mesh = meshOf({2, 3});
  EXPECT_EQ(checkShape(Layout(), {2}),
            "a tensor 2 is in empty_layout, which is on no device; give it a "
            "layout");
  EXPECT_EQ(checkShape(*Layout::create({"x"}, mesh), {2, 3}),
            "the layout has 1 sharding specs, and a tensor 2x3 has 2 axes; "
            "give each axis one");
  EXPECT_EQ(checkShape(*Layout::create({"x", "match"}, mesh), {2, 3}),
            "axis 1 of the layout is 'match', which is no dimension yet; name "
            "one, or 'unsharded'");
  EXPECT_EQ(checkShape(*Layout::create({"x"}, mesh), {-2}),
            "a tensor -2 has a negative size, or too many elements to be "
            "counted");
  EXPECT_EQ(checkShape(*Layout::create({"x"}, mesh), {5}), std::nullopt);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

namespace {

/// A tensor of 5x3, of whose two parts along x this process has both.
ShardedValue value() {
  return ShardedValue::zeros({DType::F32, {5, 3}},
                             *Layout::create({"x", "unsharded"}, meshOf({2})))
      .take();
}

} // namespace

TEST(ShardedValue, HasAPartPerLocalDevice) {
  const ShardedValue made = value();
  EXPECT_EQ(checkValue(made), std::nullopt);
  ASSERT_EQ(made.parts.size(), 2u);
  EXPECT_EQ(made.parts[0].type, (TensorType{DType::F32, {3, 3}}));
  EXPECT_EQ(made.parts[1].type, (TensorType{DType::F32, {2, 3}}));
  EXPECT_EQ(made.parts[1].bytes.size(), 24u);
  const Mesh second = *Mesh::fromString("|x=2,y=2|0,1,2,3|2,3|cpu:0,cpu:1");
  const ShardedValue share =
      ShardedValue::zeros({DType::I64, {3, 4}},
                          *Layout::create({"x", "y"}, second))
          .take();
  ASSERT_EQ(share.parts.size(), 2u);
  EXPECT_EQ(share.parts[1].type, (TensorType{DType::I64, {1, 2}}));
}

TEST(ShardedValue, ScalarsAndEmptyPartsAreParts) {
  const ShardedValue scalar =
      ShardedValue::zeros({DType::F64, {}}, *Layout::replicated(meshOf({2}), 0))
          .take();
  ASSERT_EQ(scalar.parts.size(), 2u);
  EXPECT_EQ(scalar.parts[1].bytes.size(), 8u);
  EXPECT_EQ(checkValue(scalar), std::nullopt);
  const ShardedValue few =
      ShardedValue::zeros({DType::F32, {1}},
                          *Layout::create({"x"}, meshOf({2})))
          .take();
  EXPECT_EQ(few.parts[1].type.shape, Shape{0});
  EXPECT_EQ(checkValue(few), std::nullopt);
}

TEST(ShardedValue, WrongPartsAreNamed) {
  ShardedValue wrong = value();
  wrong.parts.pop_back();
  EXPECT_EQ(checkValue(wrong), "the value has 1 parts, and its mesh 2 local "
                               "devices; give each its part, in their order");
  wrong = value();
  wrong.parts[1] = wrong.parts[0];
  EXPECT_EQ(checkValue(wrong), "part 1, of device 1, is f32[3x3], and its "
                               "shard by the layout f32[2x3]");
  wrong = value();
  wrong.parts[1].type.dtype = DType::I32;
  EXPECT_EQ(checkValue(wrong), "part 1, of device 1, is i32[2x3], and its "
                               "shard by the layout f32[2x3]");
  wrong = value();
  wrong.parts[0].bytes.pop_back();
  EXPECT_EQ(checkValue(wrong),
            "part 0, of device 0, has 35 bytes, and f32[3x3] has 36");
  wrong.layout = Layout();
  EXPECT_EQ(checkValue(wrong),
            "a tensor 5x3 is in empty_layout, which is on no device; give it a "
            "layout");
  EXPECT_EQ(ShardedValue::zeros({DType::F32, {5}}, value().layout).error(),
            "the layout has 2 sharding specs, and a tensor 5 has 1 axes; give "
            "each axis one");
  EXPECT_EQ(
      ShardedValue::zeros({DType::F64, {INT64_MAX / 2, 1}}, value().layout)
          .error(),
      "a tensor f64[4611686018427387903x1] has too many bytes to be "
      "counted");
}
