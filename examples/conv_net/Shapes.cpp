// SPDX-License-Identifier: Apache-2.0
#include "Shapes.h"
#include <algorithm>
#include <cmath>
#include <numbers>

namespace conv_net {

namespace {

/// Numbers that follow from a picture's.
class Random {
public:
  Random(uint64_t seed, uint64_t picture) : state(seed << 40 ^ picture << 10) {}
  /// Uniform in [low, high).
  double operator()(double low, double high) {
    uint64_t z = ++state * 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return low + (high - low) * double((z ^ z >> 31) >> 11) * 0x1p-53;
  }

private:
  uint64_t state;
};

} // namespace

/// Whether a point is in the shape, which is about the unit circle's size.
static bool isInside(int64_t shape, double u, double v) {
  const double across = std::abs(u), along = std::abs(v);
  const double square = u * u + v * v;
  switch (shape) {
  case 0:
    return square < 1;
  case 1:
    return square < 1 && square > 0.35;
  case 2:
    return std::max(across, along) < 0.8;
  case 3:
    return v > -0.6 && v < 1 - 1.8 * across;
  case 4:
    return std::min(across, along) < 0.25 && std::max(across, along) < 1;
  default:
    return across < 0.9 && along > 0.3 && along < 0.75;
  }
}

Pictures::Pictures(uint64_t seed, uint64_t first, int64_t count)
    : pixelDims{count, 1, kSide, kSide}, classDims{count} {
  for (int64_t i = 0; i < count; ++i) {
    Random random(seed, first + uint64_t(i));
    classes.push_back(int64_t(random(0, double(kClasses))));
    const double radius = random(4, 8), angle = random(0, std::numbers::pi * 2);
    const double x = random(radius, double(kSide) - radius);
    const double y = random(radius, double(kSide) - radius);
    const double cosine = std::cos(angle) / radius;
    const double sine = std::sin(angle) / radius;
    const double contrast = random(0.5, 1.5);
    for (int64_t row = 0; row < kSide; ++row)
      for (int64_t column = 0; column < kSide; ++column) {
        const double right = double(column) - x, down = double(row) - y;
        const bool inside =
            isInside(classes.back(), right * cosine + down * sine,
                     down * cosine - right * sine);
        pixels.push_back(float(inside * contrast + random(-0.5, 0.5)));
      }
  }
}

std::vector<smp::InputTensor> Pictures::inputs() const {
  return {{"pictures", {smp::DType::F32, pixelDims, pixels.data()}},
          {"classes", {smp::DType::I64, classDims, classes.data()}}};
}

int64_t Pictures::countRight(const smp::OutputTensor &scores) const {
  int64_t right = 0;
  const auto *row = static_cast<const float *>(scores.data);
  for (int64_t shown : classes) {
    right += std::max_element(row, row + kClasses) - row == shown;
    row += kClasses;
  }
  return right;
}

} // namespace conv_net
