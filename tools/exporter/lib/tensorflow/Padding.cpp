// SPDX-License-Identifier: Apache-2.0
#include "Padding.h"
#include <algorithm>

namespace smp::tensorflow {

using Ints = std::vector<int64_t>;

exporter::Node sliced(exporter::Call &call, const std::string &value,
                      const Ints &starts, const Ints &limits,
                      const Ints &strides) {
  exporter::Nodes &nodes = call.nodes();
  return {"StridedSlice",
          {value, nodes.ints(starts), nodes.ints(limits), nodes.ints(strides)}};
}

Shape Padding::shape() const {
  Shape padded = sizes;
  for (size_t i = 0; i < sizes.size(); ++i)
    padded[i] += low[i] + high[i];
  return padded;
}

std::string Padding::make(exporter::Call &call, const std::string &fill) const {
  Ints starts, limits, around;
  for (size_t i = 0; i < sizes.size(); ++i) {
    starts.push_back(std::max<int64_t>(-low[i], 0));
    limits.push_back(sizes[i] - std::max<int64_t>(-high[i], 0));
    around.insert(around.end(), {std::max<int64_t>(low[i], 0),
                                 std::max<int64_t>(high[i], 0)});
  }
  std::string made = value;
  if (limits != sizes || starts != Ints(sizes.size()))
    made = call.make(sliced(call, made, starts, limits, Ints(sizes.size(), 1)));
  if (around == Ints(around.size()))
    return made;
  const std::string paddings =
      call.nodes().constant({DType::I64, {int64_t(sizes.size()), 2}},
                            std::as_bytes(std::span(around)));
  return call.make("PadV2", {made, paddings, fill});
}

} // namespace smp::tensorflow
