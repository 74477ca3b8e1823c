// SPDX-License-Identifier: Apache-2.0
// Plans of copies, carried out element by element.
#include "smp/model/Relayout.h"
#include "Layouts.h"
#include "RandomSlices.h"
#include "Seed.h"

using namespace smp;
using namespace smp::test;

namespace {

/// A tensor in slices: the values of each, row-major. An element's value is its
/// place in the whole tensor.
struct Sliced {
  std::vector<TensorSlice> slices;
  std::vector<std::vector<size_t>> values;

  Sliced(std::vector<TensorSlice> given, const Shape &shape)
      : slices(std::move(given)) {
    for (const TensorSlice &slice : slices) {
      values.emplace_back();
      forEachElement(slice.extent, [&](const Shape &at) {
        values.back().push_back(indexOf(sum(at, slice.offset), shape));
      });
    }
  }
};

std::vector<TensorSlice> writtenSlices(const Layout &layout,
                                       const Shape &shape) {
  std::vector<TensorSlice> slices;
  for (SliceWriter &writer : sliceWriters(layout, shape))
    slices.push_back(std::move(writer.slice));
  return slices;
}

/// Carries out the plan, and looks whether it gives the target every element
/// once.
void checkPlan(const Relayout &plan, const Sliced &source,
               const TensorSlice &target, const Shape &shape) {
  std::vector<size_t> values(size_t(numElements(target.extent)), SIZE_MAX);
  for (const SliceCopy &copy : plan.into(target))
    forEachElement(copy.extent, [&](const Shape &at) {
      const Shape &from = source.slices[copy.source].extent;
      size_t &value =
          values[indexOf(sum(at, copy.targetOffset), target.extent)];
      ASSERT_EQ(value, SIZE_MAX) << "written twice";
      value =
          source.values[copy.source][indexOf(sum(at, copy.sourceOffset), from)];
    });
  size_t next = 0;
  forEachElement(target.extent, [&](const Shape &at) {
    ASSERT_EQ(values[next++], indexOf(sum(at, target.offset), shape));
  });
}

/// By a look at every source.
std::vector<SliceCopy> plainPlan(const std::vector<TensorSlice> &sources,
                                 const TensorSlice &target) {
  std::vector<SliceCopy> copies;
  for (size_t i = 0; i < sources.size(); ++i) {
    const auto common = intersection(sources[i], target);
    if (!common || numElements(common->extent) == 0)
      continue;
    SliceCopy copy{i, common->offset, common->offset, common->extent};
    for (size_t d = 0; d < common->offset.size(); ++d) {
      copy.sourceOffset[d] -= sources[i].offset[d];
      copy.targetOffset[d] -= target.offset[d];
    }
    copies.push_back(copy);
  }
  return copies;
}

} // namespace

TEST(Relayout, SaysWhatToCopy) {
  const Relayout plan({{{0, 0}, {2, 4}}, {{2, 0}, {2, 4}}});
  EXPECT_EQ(plan.into({{1, 1}, {2, 2}}),
            (std::vector<SliceCopy>{{0, {1, 1}, {0, 0}, {1, 2}},
                                    {1, {0, 1}, {1, 0}, {1, 2}}}));
  EXPECT_EQ(plan.into({{3, 0}, {1, 4}}),
            (std::vector<SliceCopy>{{1, {1, 0}, {0, 0}, {1, 4}}}));
  EXPECT_TRUE(plan.into({{1, 1}, {0, 2}}).empty());
}

TEST(Relayout, OfNothingAndOfScalars) {
  EXPECT_TRUE(Relayout({}).into({{0}, {3}}).empty());
  EXPECT_TRUE(Relayout({{{0, 0}, {0, 4}}}).into({{0, 0}, {0, 2}}).empty());
  EXPECT_EQ(Relayout({{}}).into({}), (std::vector<SliceCopy>{{0, {}, {}, {}}}));
}

/// From every layout to every layout, on all meshes up to 2x4 and 2x2x2.
TEST(Relayout, FromEveryLayoutToEveryLayout) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  RandomSlices random(seed);
  std::vector<Mesh> meshes{meshOf({2, 2, 2})};
  for (int64_t x = 1; x <= 2; ++x)
    for (int64_t y = 1; y <= 4; ++y)
      meshes.push_back(meshOf({x, y}));
  std::vector<Shape> shapes{{}, {0, 4}, {5}, {3, 0, 2}, {5, 7}, {3, 2, 5}};
  for (size_t rank = 1; rank <= 3; ++rank)
    shapes.push_back(random.shape(rank, 6));
  for (const Shape &shape : shapes) {
    SCOPED_TRACE(toString(shape));
    std::vector<Layout> layouts;
    for (const Mesh &mesh : meshes)
      for (Layout &layout : layoutsOn(mesh, shape.size()))
        layouts.push_back(std::move(layout));
    for (const Layout &from : layouts) {
      const Sliced source(writtenSlices(from, shape), shape);
      const Relayout plan(source.slices);
      for (const Layout &to : layouts)
        for (int64_t id : to.mesh().globalDeviceIds()) {
          checkPlan(plan, source, shardOf(to, shape, id), shape);
          ASSERT_FALSE(HasFatalFailure())
              << toString(from) << " to " << toString(to) << ", device " << id;
        }
    }
  }
}

/// Many slices of any form: the plan is that of a look at all of them.
TEST(Relayout, OfManySlicesIsThatOfALookAtAll) {
  const uint32_t seed = chooseSeed();
  SCOPED_TRACE("SMP_TEST_SEED=" + std::to_string(seed));
  RandomSlices random(seed);
  size_t copies = 0;
  for (size_t rank = 0; rank <= 4; ++rank)
    for (int round = 0; round < 20; ++round) {
      const Shape shape = random.shape(rank, 40);
      const Sliced source(random.cover(shape, random.upTo(300)), shape);
      const Relayout plan(source.slices);
      for (int i = 0; i < 20; ++i) {
        const TensorSlice target = random.sliceOf(shape);
        const std::vector<SliceCopy> found = plan.into(target);
        ASSERT_EQ(found, plainPlan(source.slices, target));
        copies += found.size();
      }
      if (rank < 3) // All elements of larger ones would take long.
        checkPlan(plan, source, random.sliceOf(shape), shape);
    }
  EXPECT_GT(copies, 500u);
}
