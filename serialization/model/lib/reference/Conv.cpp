// SPDX-License-Identifier: Apache-2.0
// Convolution, as products of filters with the inputs under each position.

#include "Numbers.h"
#include "Products.h"
#include "Strided.h"
#include "Table.h"
#include "Window.h"
#include <algorithm>
#include <cmath>

using namespace smp;
using namespace smp::reference;

namespace {
/// The sizes of a convolution.
struct Problem {
  Activation input, output;
  Window window;
  std::vector<Shape> taps; ///< Filter positions, row-major.
  int64_t groups, groupInputs, groupOutputs;
  int64_t depth; ///< Products per result: taps times groupInputs.
};

/// Computes results of one element type: double or uint64_t.
template <typename T>
class Convolution {
public:
  Convolution(const Problem &problem, std::vector<T> input,
              const std::vector<T> &filter)
      : p(problem), input(std::move(input)), filter(reorderFilter(filter)),
        finite(isFinite()) {}
  std::vector<T> run() const;

private:
  std::vector<T> reorderFilter(const std::vector<T> &from) const;
  bool isFinite() const;
  void runPanel(int64_t task, std::vector<T> &result) const;
  void fillPanel(int64_t batch, int64_t group, const Shape *positions,
                 int64_t columns, std::vector<T> &panel) const;
  T sumInside(int64_t batch, int64_t feature, const Shape &position) const;

  const Problem &p;
  std::vector<T> input;
  /// [output feature][tap][group's input feature], and one row more.
  std::vector<T> filter;
  /// Whether 0 times each weight is 0, so that padding may be multiplied.
  bool finite;
};
} // namespace

template <typename T>
std::vector<T> Convolution<T>::reorderFilter(const std::vector<T> &from) const {
  const auto taps = int64_t(p.taps.size());
  std::vector<T> to(from.size() + size_t(p.depth));
  for (int64_t o = 0; o < p.groups * p.groupOutputs; ++o)
    for (int64_t i = 0; i < p.groupInputs; ++i)
      for (int64_t t = 0; t < taps; ++t)
        to[size_t((o * taps + t) * p.groupInputs + i)] =
            from[size_t((o * p.groupInputs + i) * taps + t)];
  return to;
}

template <typename T>
bool Convolution<T>::isFinite() const {
  if constexpr (std::is_floating_point_v<T>)
    return std::all_of(filter.begin(), filter.end(),
                       [](T x) { return std::isfinite(x); });
  return true;
}

/// Writes what lies under each position of a panel; 0 outside the input.
template <typename T>
void Convolution<T>::fillPanel(int64_t batch, int64_t group,
                               const Shape *positions, int64_t columns,
                               std::vector<T> &panel) const {
  const int64_t base = batch * p.input.batchStride +
                       group * p.groupInputs * p.input.featureStride;
  T *to = panel.data();
  for (const Shape &tap : p.taps) {
    int64_t offsets[kPanelColumns];
    for (int64_t c = 0; c < columns; ++c)
      offsets[c] = p.window.offset(positions[c], tap, p.input.spatialStrides);
    for (int64_t i = 0; i < p.groupInputs; ++i, to += kPanelColumns)
      for (int64_t c = 0; c < columns; ++c)
        to[c] =
            offsets[c] < 0
                ? T(0)
                : input[size_t(base + offsets[c] + i * p.input.featureStride)];
  }
}

/// One result from the positions inside the input alone.
template <typename T>
T Convolution<T>::sumInside(int64_t batch, int64_t feature,
                            const Shape &position) const {
  const int64_t base = batch * p.input.batchStride + feature / p.groupOutputs *
                                                         p.groupInputs *
                                                         p.input.featureStride;
  const T *weight = filter.data() + feature * p.depth;
  T sum = 0;
  for (const Shape &tap : p.taps) {
    const int64_t offset =
        p.window.offset(position, tap, p.input.spatialStrides);
    for (int64_t i = 0; i < p.groupInputs; ++i, ++weight)
      if (offset >= 0)
        sum +=
            *weight * input[size_t(base + offset + i * p.input.featureStride)];
  }
  return sum;
}

/// Panels computed by one task, so that weights are used more than once.
static constexpr int64_t kTaskPanels = 6;
static constexpr int64_t kTaskColumns = kTaskPanels * kPanelColumns;

template <typename T>
void Convolution<T>::runPanel(int64_t task, std::vector<T> &result) const {
  const int64_t total = numElements(p.output.spatial);
  const int64_t tasks = roundUp(total, kTaskColumns) / kTaskColumns;
  const int64_t group = task / tasks % p.groups,
                batch = task / tasks / p.groups;
  const int64_t first = task % tasks * kTaskColumns;
  const int64_t columns = std::min(kTaskColumns, total - first);
  const Shape strides = rowMajorStrides(p.output.spatial);
  std::vector<Shape> positions;
  for (int64_t c = 0; c < columns; ++c) {
    Shape position;
    for (size_t d = 0; d < strides.size(); ++d)
      position.push_back((first + c) / strides[d] % p.output.spatial[d]);
    positions.push_back(std::move(position));
  }
  const auto resultAt = [&](int64_t feature, int64_t column) -> T & {
    return result[size_t(
        batch * p.output.batchStride + feature * p.output.featureStride +
        offsetOf(positions[size_t(column)], p.output.spatialStrides))];
  };
  const int64_t firstFeature = group * p.groupOutputs;
  if (!finite) {
    for (int64_t o = firstFeature; o < firstFeature + p.groupOutputs; ++o)
      for (int64_t c = 0; c < columns; ++c)
        resultAt(o, c) = sumInside(batch, o, positions[size_t(c)]);
    return;
  }
  std::vector<std::vector<T>> panels;
  for (int64_t c = 0; c < columns; c += kPanelColumns) {
    panels.emplace_back(size_t(p.depth * kPanelColumns));
    fillPanel(batch, group, &positions[size_t(c)],
              std::min(kPanelColumns, columns - c), panels.back());
  }
  for (int64_t o = 0; o < p.groupOutputs; o += kTileRows)
    for (size_t panel = 0; panel < panels.size(); ++panel) {
      Tile<T> tile;
      multiplyTile(filter.data() + (firstFeature + o) * p.depth,
                   panels[panel].data(), p.depth, tile);
      const int64_t c = int64_t(panel) * kPanelColumns;
      for (int64_t r = 0; r < std::min(kTileRows, p.groupOutputs - o); ++r)
        for (int64_t i = 0; i < std::min(kPanelColumns, columns - c); ++i)
          resultAt(firstFeature + o + r, c + i) = tile[r][i];
    }
}

template <typename T>
std::vector<T> Convolution<T>::run() const {
  std::vector<T> result(size_t(p.output.batch * p.output.batchStride));
  const int64_t tasks =
      roundUp(numElements(p.output.spatial), kTaskColumns) / kTaskColumns;
  parallelFor(p.output.batch * p.groups * tasks,
              [&](int64_t task) { runPanel(task, result); });
  return result;
}

static std::vector<Shape> everyIndex(const Shape &shape) {
  std::vector<Shape> result;
  for (Indices i(shape); i.valid(); i.next())
    result.push_back(i.index());
  return result;
}

void smp::reference::convolve(Call &call, const HostTensor &filter,
                              int64_t groups, bool channelsLast) {
  const Shape &shape = filter.type.shape;
  if (!call.require(call.shape(0).size() >= 3 &&
                        shape.size() == call.shape(0).size() &&
                        call.dtype(0) != DType::Bool,
                    "cannot convolve " + toString(call.type(0)) +
                        " with a filter " + toString(filter.type)))
    return;
  const Activation input(call.shape(0), channelsLast);
  call.require(
      groups >= 1 && input.features % groups == 0 &&
          input.features / groups == shape[1] && shape[0] % groups == 0,
      std::to_string(groups) + " groups do not fit " + toString(call.type(0)) +
          " and a filter " + toString(filter.type));
  Window window =
      readWindow(call, input.spatial, Shape(shape.begin() + 2, shape.end()));
  if (call.failed())
    return;
  HostTensor *result = call.makeResult(
      {call.dtype(0), Activation::shapeOf(channelsLast, input.batch, shape[0],
                                          window.output)});
  if (!result || result->bytes.empty())
    return;
  std::vector<Shape> taps = everyIndex(window.sizes);
  const int64_t depth = int64_t(taps.size()) * shape[1];
  const Problem problem{input,
                        Activation(result->type.shape, channelsLast),
                        std::move(window),
                        std::move(taps),
                        groups,
                        shape[1],
                        shape[0] / groups,
                        depth};
  const auto run = [&]<typename T>(T) {
    narrow(Convolution(problem, widenAs<T>(call.operand(0)), widenAs<T>(filter))
               .run(),
           *result);
  };
  isFloat(call.dtype(0)) ? run(double()) : run(uint64_t());
}

namespace smp::reference {
void conv(Call &call) {
  const int64_t groups = call.integer("groups");
  const bool channelsLast = readChannelsLast(call);
  if (call.require(call.dtype(0) == call.dtype(1),
                   "input and filter must have one element type"))
    convolve(call, call.operand(1), groups, channelsLast);
}
} // namespace smp::reference
