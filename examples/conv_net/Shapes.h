// SPDX-License-Identifier: Apache-2.0
// Pictures of shapes, drawn by rule: any number of them, the same everywhere.

#ifndef SMP_EXAMPLES_CONV_NET_SHAPES_H
#define SMP_EXAMPLES_CONV_NET_SHAPES_H

#include <cstdint>
#include <smp/runtime/Session.h>
#include <vector>

namespace conv_net {

constexpr int64_t kSide = 20; ///< Pixels.
constexpr const char *kShapes[] = {"disc",     "ring",  "square",
                                   "triangle", "cross", "bars"};
constexpr int64_t kClasses = std::size(kShapes);

/// Pictures in one channel with what they show, as a Session takes them.
class Pictures {
public:
  /// Numbers `first`, `first` + 1 ... of the pictures of `seed`: each a shape
  /// somewhere, of any size, turned anyhow, under noise.
  Pictures(uint64_t seed, uint64_t first, int64_t count);

  std::vector<smp::InputTensor> inputs() const;
  int64_t count() const { return int64_t(classes.size()); }
  /// How many of `scores`, one row per picture, are greatest for what it shows.
  int64_t countRight(const smp::OutputTensor &scores) const;

private:
  std::vector<float> pixels;
  std::vector<int64_t> classes;
  std::vector<int64_t> pixelDims, classDims;
};

} // namespace conv_net

#endif // SMP_EXAMPLES_CONV_NET_SHAPES_H
