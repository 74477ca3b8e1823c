// SPDX-License-Identifier: Apache-2.0
// All layouts of small meshes, and the elements of slices one by one.

#ifndef SMP_TESTS_UNIT_MODEL_LAYOUTS_H
#define SMP_TESTS_UNIT_MODEL_LAYOUTS_H

#include "smp/model/Shards.h"
#include <gtest/gtest.h>
#include <random>

namespace smp::test {

inline Mesh meshOf(const std::vector<int64_t> &sizes) {
  const char *names[] = {"x", "y", "z"};
  std::string text = "|";
  for (size_t d = 0; d < sizes.size(); ++d)
    text +=
        (d ? "," : "") + std::string(names[d]) + "=" + std::to_string(sizes[d]);
  Expected<Mesh> mesh = Mesh::fromString(text + "|*CPU");
  EXPECT_TRUE(mesh.ok()) << mesh.error();
  return mesh.take();
}

/// Every layout for tensors of a rank.
inline std::vector<Layout> layoutsOn(const Mesh &mesh, size_t rank) {
  std::vector<std::string> words{"unsharded"};
  for (const MeshDimension &dimension : mesh.dimensions())
    words.push_back(dimension.name);
  size_t count = 1;
  for (size_t axis = 0; axis < rank; ++axis)
    count *= words.size();
  std::vector<Layout> layouts;
  for (size_t choice = 0; choice < count; ++choice) {
    std::vector<std::string> specs;
    for (size_t rest = choice; specs.size() < rank; rest /= words.size())
      specs.push_back(words[rest % words.size()]);
    if (Expected<Layout> layout = Layout::create(specs, mesh); layout.ok())
      layouts.push_back(layout.take());
  }
  return layouts;
}

/// Calls `visit` with the place of each element, row-major.
template <typename Visit>
void forEachElement(const Shape &shape, Visit visit) {
  Shape at(shape.size(), 0);
  for (int64_t left = numElements(shape); left > 0; --left) {
    visit(std::as_const(at));
    for (size_t d = at.size(); d-- > 0 && ++at[d] == shape[d];)
      at[d] = 0;
  }
}

/// Where an element is in a row-major tensor.
inline size_t indexOf(const Shape &at, const Shape &shape) {
  int64_t index = 0;
  for (size_t d = 0; d < at.size(); ++d)
    index = index * shape[d] + at[d];
  return size_t(index);
}

inline Shape sum(Shape one, const Shape &other) {
  for (size_t d = 0; d < one.size(); ++d)
    one[d] += other[d];
  return one;
}

} // namespace smp::test

#endif // SMP_TESTS_UNIT_MODEL_LAYOUTS_H
