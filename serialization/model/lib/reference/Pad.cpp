// SPDX-License-Identifier: Apache-2.0
// Elements added before, after and between those of a tensor.

#include "Strided.h"
#include "Table.h"
#include <algorithm>
#include <cstdlib>

using namespace smp;
using namespace smp::reference;

namespace {
enum class Mode { Constant, Edge, Reflect, Wrap };

/// One dimension of a pad.
struct Padding {
  Mode mode;
  int64_t size, low, high, interior;

  /// The size of the result, or nothing when the mode cannot fill it.
  std::optional<int64_t> padded() const {
    constexpr int64_t kMost = int64_t(1) << 61; // Keeps all sums in range.
    if (std::abs(low / 2) > kMost / 2 || std::abs(high / 2) > kMost / 2 ||
        interior > kMost)
      return std::nullopt;
    const __int128 gaps = __int128(interior) * std::max<int64_t>(size - 1, 0);
    const __int128 result = gaps + size + low + high;
    const int64_t widest = std::max(low, high);
    if (interior < 0 || (interior > 0 && mode != Mode::Constant) ||
        result < 0 || result > INT64_MAX)
      return std::nullopt;
    if ((mode == Mode::Reflect && widest > 0 && widest > size - 1) ||
        (mode == Mode::Wrap && widest > size) ||
        (mode == Mode::Edge && widest > 0 && size == 0))
      return std::nullopt;
    return int64_t(result);
  }

  /// Where element `at` of the result comes from; -1: from nowhere.
  int64_t source(int64_t at) const {
    const int64_t place = at - low;
    switch (mode) {
    case Mode::Constant: {
      const int64_t step = interior + 1;
      return place < 0 || place % step != 0 || place / step >= size
                 ? -1
                 : place / step;
    }
    case Mode::Edge:
      return std::clamp<int64_t>(place, 0, size - 1);
    case Mode::Reflect:
      return place < 0       ? -place
             : place >= size ? 2 * (size - 1) - place
                             : place;
    case Mode::Wrap:
      return place < 0 ? place + size : place >= size ? place - size : place;
    }
    __builtin_unreachable();
  }
};
} // namespace

/// The paddings of a call, one per dimension; empty after a failure.
static std::vector<Padding> paddings(Call &call) {
  const Shape &shape = call.shape(0);
  const Mode mode = Mode(
      call.word("mode", {"constant", "edge", "reflect", "wrap"}, /*absent=*/0));
  const std::vector<int64_t> &low = call.list("low"), &high = call.list("high"),
                             &interior = call.list("interior");
  if (!call.require(
          low.size() == shape.size() && high.size() == shape.size() &&
              interior.size() == shape.size(),
          "needs a low, a high and an interior padding per dimension"))
    return {};
  std::vector<Padding> result;
  for (size_t d = 0; d < shape.size(); ++d) {
    result.push_back({mode, shape[d], low[d], high[d], interior[d]});
    call.require(result.back().padded().has_value(),
                 "cannot pad dimension " + std::to_string(d) + " of " +
                     toString(call.type(0)) + " by low " +
                     std::to_string(low[d]) + ", high " +
                     std::to_string(high[d]) + ", interior " +
                     std::to_string(interior[d]) + " in this mode");
  }
  return result;
}

namespace smp::reference {
void pad(Call &call) {
  call.require(call.type(1) == TensorType{call.dtype(0), {}},
               "the fill must be a scalar of the input's element type");
  const std::vector<Padding> pads = paddings(call);
  if (call.failed())
    return;
  Shape shape;
  for (const Padding &padding : pads)
    shape.push_back(*padding.padded());
  HostTensor *result = call.makeResult({call.dtype(0), shape});
  if (!result)
    return;
  const int64_t size = int64_t(sizeOf(call.dtype(0)));
  const Shape strides = rowMajorStrides(call.shape(0));
  auto to = result->bytes.begin();
  for (Indices i(shape); i.valid(); i.next()) {
    int64_t offset = 0;
    bool inside = true;
    for (size_t d = 0; d < shape.size(); ++d) {
      const int64_t source = pads[d].source(i.index()[d]);
      inside &= source >= 0;
      offset += source * strides[d];
    }
    auto from = inside ? call.operand(0).bytes.begin() + offset * size
                       : call.operand(1).bytes.begin();
    to = std::copy_n(from, size, to);
  }
}
} // namespace smp::reference
