// SPDX-License-Identifier: Apache-2.0
#include "Window.h"

using namespace smp;
using namespace smp::reference;

Activation::Activation(const Shape &shape, bool channelsLast) {
  const Shape strides = rowMajorStrides(shape);
  const size_t featureDim = channelsLast ? shape.size() - 1 : 1;
  const auto first = int64_t(channelsLast ? 1 : 2),
             rank = int64_t(shape.size()) - 2;
  batch = shape[0];
  batchStride = strides[0];
  features = shape[featureDim];
  featureStride = strides[featureDim];
  spatial.assign(shape.begin() + first, shape.begin() + first + rank);
  spatialStrides.assign(strides.begin() + first,
                        strides.begin() + first + rank);
}

Shape Activation::shapeOf(bool channelsLast, int64_t batch, int64_t features,
                          const Shape &spatial) {
  Shape shape{batch};
  if (!channelsLast)
    shape.push_back(features);
  shape.insert(shape.end(), spatial.begin(), spatial.end());
  if (channelsLast)
    shape.push_back(features);
  return shape;
}

int64_t Window::offset(const Shape &out, const Shape &tap,
                       const Shape &spatialStrides) const {
  int64_t sum = 0;
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t at = place(d, out[d], tap[d]);
    if (at < 0 || at >= input[d])
      return -1;
    sum += at * spatialStrides[d];
  }
  return sum;
}

Window smp::reference::readWindow(Call &call, const Shape &input, Shape sizes) {
  Window window{std::move(sizes),
                call.list("strides"),
                call.list("low"),
                call.list("high"),
                call.list("dilations"),
                input,
                {}};
  const size_t rank = input.size();
  for (const Shape *list : {&window.sizes, &window.strides, &window.low,
                            &window.high, &window.dilations})
    if (!call.require(list->size() == rank,
                      "needs one window size, stride, low, high and "
                      "dilation per spatial dimension"))
      return window;
  constexpr int64_t kMost = int64_t(1) << 30; // Keeps all sums in range.
  for (size_t d = 0; d < rank; ++d) {
    const auto isSize = [](int64_t x) { return x >= 1 && x <= kMost; };
    const auto isPad = [](int64_t x) { return x >= -kMost && x <= kMost; };
    if (!call.require(isSize(window.sizes[d]) && isSize(window.strides[d]) &&
                          isSize(window.dilations[d]) && isPad(window.low[d]) &&
                          isPad(window.high[d]),
                      "window attributes of spatial dimension " +
                          std::to_string(d) + " are out of range"))
      return window;
    const int64_t padded = input[d] + window.low[d] + window.high[d];
    const int64_t reach = (window.sizes[d] - 1) * window.dilations[d] + 1;
    if (!call.require(padded >= reach,
                      "spatial dimension " + std::to_string(d) +
                          " has padded size " + std::to_string(padded) +
                          ", less than the window's " + std::to_string(reach)))
      return window;
    window.output.push_back((padded - reach) / window.strides[d] + 1);
  }
  return window;
}

bool smp::reference::readChannelsLast(Call &call) {
  return call.word("layout", {"channels_first", "channels_last"},
                   /*absent=*/0) == 1;
}
