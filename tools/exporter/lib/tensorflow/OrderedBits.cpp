// SPDX-License-Identifier: Apache-2.0
#include "OrderedBits.h"
#include <limits>

namespace smp::tensorflow {

static DType integerLike(DType type) {
  switch (sizeOf(type)) {
  case 2:
    return DType::I16;
  case 4:
    return DType::I32;
  default:
    return DType::I64;
  }
}

/// The bits of floats with those of negative ones, but for the sign, flipped;
/// and back.
static std::string flipNegatives(exporter::Call &call,
                                 const std::string &bits) {
  const DType type = integerLike(call.dtype());
  exporter::Nodes &nodes = call.nodes();
  const std::string most =
      nodes.scalar(type, std::numeric_limits<double>::infinity());
  const std::string isNegative =
      call.make("Less", {bits, nodes.scalar(type, 0)});
  return call.make("SelectV2",
                   {isNegative, call.make("BitwiseXor", {bits, most}), bits});
}

std::string orderedBits(exporter::Call &call, const std::string &floats,
                        bool isNanGreatest) {
  const DType type = integerLike(call.dtype());
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string bits = call.make("Bitcast", {floats}, {{"type", type}});
  const std::string ofNan =
      call.nodes().scalar(type, isNanGreatest ? infinity : -infinity);
  return call.make("SelectV2", {call.make("IsNan", {floats}), ofNan,
                                flipNegatives(call, bits)});
}

exporter::Node fromOrderedBits(exporter::Call &call, const std::string &bits) {
  return {"Bitcast", {flipNegatives(call, bits)}, {{"type", call.dtype()}}};
}

} // namespace smp::tensorflow
