// SPDX-License-Identifier: Apache-2.0
#include "CostUnit.h"
#include <algorithm>
#include <cmath>

namespace smp::passes {

/// More than any load, latency or sum of them can be.
static double totalCost(const PartitionProblem &problem) {
  double seconds = 0, bytes = 0;
  for (const PartitionItem &item : problem.getItems()) {
    double longest = item.seconds;
    for (double ofKind : item.secondsOfKind)
      longest = std::max(longest, ofKind);
    seconds += longest;
    bytes += double(item.residentBytes);
  }
  for (const PartitionProblem::Tensor &tensor : problem.getTensors()) {
    double longest = 2 * tensor.seconds;
    for (const TransferCost &cost : tensor.costOfLink)
      longest = std::max(longest, cost.senderSeconds + cost.receiverSeconds +
                                      cost.latencySeconds);
    const size_t most = std::min<size_t>(tensor.consumers.size() + 1,
                                         problem.getNumPartitions());
    seconds += longest * double(most);
  }
  return seconds * problem.costPerSecond() + bytes * problem.costPerByte();
}

CostUnit::CostUnit(const PartitionProblem &problem)
    : perSecond(problem.costPerSecond()), perByte(problem.costPerByte()) {
  int bits = 0;
  std::frexp(totalCost(problem), &bits);
  exponent = bits - kBits;
}

int64_t CostUnit::floor(double cost) const {
  return int64_t(std::floor(std::ldexp(cost, -exponent)));
}

double CostUnit::toCost(int64_t units) const {
  // What a double cannot tell is left out, so that this is no more.
  double cost = double(units);
  if (cost >= 0x1p63 || int64_t(cost) > units)
    cost = std::nextafter(cost, 0.0);
  return std::ldexp(cost, exponent);
}

} // namespace smp::passes
