// SPDX-License-Identifier: Apache-2.0
#include "NarrowOrder.h"
#include "../order/Orders.h"
#include <algorithm>

namespace smp::passes {

/// How many starts are tried.
static constexpr uint32_t kStarts = 40;
/// By how much an open net multiplies states that are within a limit.
static constexpr double kPerNet = 1.7;

static double promisedStates(const Contraction &problem, const Order &order) {
  std::vector<uint32_t> seen(problem.numNets());
  double sum = 0, states = 1;
  for (uint32_t g : order) {
    for (uint32_t net : problem.netsOf[g]) {
      if (problem.weights[net] == 0)
        continue;
      if (++seen[net] == 1)
        states *= kPerNet;
      if (seen[net] == problem.groupsOf[net].size())
        states /= kPerNet;
    }
    sum += states;
  }
  return sum;
}

std::vector<uint32_t> narrowOrder(const Contraction &problem) {
  Order best;
  double least = 0;
  const uint32_t step = std::max(1u, problem.numGroups() / kStarts);
  for (uint32_t start = 0; start < problem.numGroups(); start += step)
    for (Frontier what : {Frontier::Fewest, Frontier::Cheapest}) {
      Order order = leastFrontier(problem, start, what);
      if (double states = promisedStates(problem, order);
          best.empty() || states < least)
        best = std::move(order), least = states;
    }
  return best;
}

} // namespace smp::passes
