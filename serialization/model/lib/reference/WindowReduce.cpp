// SPDX-License-Identifier: Apache-2.0
// Elements under a sliding window, combined.

#include "Numbers.h"
#include "Strided.h"
#include "Table.h"
#include "Window.h"
#include <algorithm>

using namespace smp;
using namespace smp::reference;

namespace {
/// The part of a window that lies in a range of places, per dimension.
struct Inside {
  Shape first; ///< The first place in the range.
  Shape count; ///< How many.
};

struct Pool {
  Activation input, output;
  Window window;
};
} // namespace

/// The positions of the window at `out` whose places are in [from, to).
static Inside insideOf(const Window &window, const Shape &out,
                       const Shape &from, const Shape &to) {
  Inside inside;
  for (size_t d = 0; d < out.size(); ++d) {
    const int64_t start = window.place(d, out[d], 0),
                  step = window.dilations[d];
    const int64_t before = std::max<int64_t>(0, from[d] - start);
    const int64_t first = (before + step - 1) / step;
    const int64_t room = std::max<int64_t>(0, to[d] - start);
    const int64_t end = std::min(window.sizes[d], (room + step - 1) / step);
    inside.first.push_back(start + first * step);
    inside.count.push_back(std::max<int64_t>(0, end - first));
  }
  return inside;
}

/// Combines the elements under each window; `finish` gets the sum and the
/// window's index.
template <typename T, typename Finish>
static std::vector<T> slide(const Pool &pool, Kind kind, DType type,
                            const std::vector<T> &input, Finish finish) {
  std::vector<T> result(size_t(pool.output.batch * pool.output.batchStride));
  const Shape zeros(pool.input.spatial.size());
  Shape steps = pool.input.spatialStrides;
  for (size_t d = 0; d < steps.size(); ++d)
    steps[d] *= pool.window.dilations[d];
  for (Indices out(pool.output.spatial); out.valid(); out.next()) {
    const Inside inside =
        insideOf(pool.window, out.index(), zeros, pool.input.spatial);
    const int64_t from = offsetOf(inside.first, pool.input.spatialStrides);
    const int64_t to = offsetOf(out.index(), pool.output.spatialStrides);
    for (int64_t b = 0; b < pool.input.batch; ++b)
      for (int64_t f = 0; f < pool.input.features; ++f) {
        const int64_t base =
            from + b * pool.input.batchStride + f * pool.input.featureStride;
        Combined<T> sum(kind, type);
        for (Indices tap(inside.count); tap.valid(); tap.next())
          sum.add(input[size_t(base + offsetOf(tap.index(), steps))]);
        result[size_t(to + b * pool.output.batchStride +
                      f * pool.output.featureStride)] =
            finish(sum.get(), out.index());
      }
  }
  return result;
}

/// Reads what window ops share and makes the result; null after a failure.
static HostTensor *readPool(Call &call, std::optional<Pool> &pool) {
  const bool channelsLast = readChannelsLast(call);
  if (!call.require(call.shape(0).size() >= 3 && call.dtype(0) != DType::Bool,
                    "cannot slide a window over " + toString(call.type(0))))
    return nullptr;
  const Activation input(call.shape(0), channelsLast);
  Window window = readWindow(call, input.spatial, call.list("window"));
  if (call.failed())
    return nullptr;
  HostTensor *result = call.makeResult(
      {call.dtype(0), Activation::shapeOf(channelsLast, input.batch,
                                          input.features, window.output)});
  if (result)
    pool = Pool{input, Activation(result->type.shape, channelsLast),
                std::move(window)};
  return result;
}

static void windowReduce(Call &call) {
  const Kind kind = Kind(call.word("kind", {"sum", "prod", "max", "min"}));
  std::optional<Pool> pool;
  HostTensor *result = readPool(call, pool);
  if (!result)
    return;
  const auto asIs = [](auto sum, const Shape &) { return sum; };
  Numbers numbers = widen(call.operand(0));
  std::visit(
      [&](const auto &input) {
        narrow(slide(*pool, kind, call.dtype(0), input, asIs), *result);
      },
      numbers);
}

/// The number of positions inside the input or, counting padding, the padded
/// one.
static void avgPool(Call &call) {
  call.require(isFloat(call.dtype(0)), "the operand must be a float");
  const bool countPadding = call.flag("count_padding");
  std::optional<Pool> pool;
  HostTensor *result = readPool(call, pool);
  if (!result)
    return;
  Shape from(pool->input.spatial.size()), to = pool->input.spatial;
  for (size_t d = 0; countPadding && d < to.size(); ++d) {
    from[d] -= pool->window.low[d];
    to[d] += pool->window.high[d];
  }
  const auto mean = [&](double sum, const Shape &out) {
    const int64_t count =
        numElements(insideOf(pool->window, out, from, to).count);
    return limitTo(call.dtype(0), sum) / double(std::max<int64_t>(count, 1));
  };
  narrow(slide(*pool, Kind::Sum, call.dtype(0), widenFloats(call.operand(0)),
               mean),
         *result);
}

std::span<const Entry> smp::reference::windowOps() {
  static constexpr Entry entries[] = {{"window_reduce", 1, windowReduce},
                                      {"avg_pool", 1, avgPool}};
  return entries;
}
