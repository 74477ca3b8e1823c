// SPDX-License-Identifier: Apache-2.0
#include "Latency.h"
#include <algorithm>

namespace smp::passes {

std::vector<uint32_t> receiversOf(const PartitionProblem::Tensor &tensor,
                                  const std::vector<uint32_t> &partitionOf) {
  std::vector<uint32_t> found;
  for (uint32_t consumer : tensor.consumers)
    if (partitionOf[consumer] != partitionOf[tensor.producer])
      found.push_back(partitionOf[consumer]);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

LatencySimulator::LatencySimulator(const PartitionProblem &problem)
    : problem(problem), unit(problem), made(problem.getItems().size()),
      taken(problem.getItems().size()) {
  const std::vector<PartitionProblem::Tensor> &tensors = problem.getTensors();
  for (uint32_t t = 0; t < tensors.size(); ++t) {
    made[tensors[t].producer].push_back(t);
    for (uint32_t consumer : tensors[t].consumers)
      taken[consumer].push_back(t);
  }
}

template <typename Time, typename ToTime>
Time LatencySimulator::simulate(const std::vector<uint32_t> &partitionOf,
                                ToTime toTime) const {
  /// A tensor on its way to a partition.
  struct Delivery {
    uint32_t to = 0;
    Time arrival{}, receiving{};
    bool isReceived = false;
  };
  std::vector<Time> clocks(problem.getNumPartitions());
  std::vector<std::vector<Delivery>> inbox(problem.getTensors().size());
  for (uint32_t item = 0; item < partitionOf.size(); ++item) {
    const uint32_t own = partitionOf[item];
    for (uint32_t t : taken[item])
      for (Delivery &delivery : inbox[t])
        if (delivery.to == own && !delivery.isReceived) {
          clocks[own] =
              std::max(clocks[own], delivery.arrival) + delivery.receiving;
          delivery.isReceived = true;
        }
    clocks[own] += toTime(problem.secondsOf(problem.getItems()[item], own));
    for (uint32_t t : made[item]) {
      const PartitionProblem::Tensor &tensor = problem.getTensors()[t];
      const std::vector<uint32_t> receivers = receiversOf(tensor, partitionOf);
      Time longest{};
      for (uint32_t to : receivers)
        longest = std::max(
            longest, toTime(problem.costOf(tensor, own, to).senderSeconds));
      clocks[own] += longest;
      for (uint32_t to : receivers) {
        const TransferCost cost = problem.costOf(tensor, own, to);
        inbox[t].push_back({to, clocks[own] + toTime(cost.latencySeconds),
                            toTime(cost.receiverSeconds)});
      }
    }
  }
  return *std::max_element(clocks.begin(), clocks.end());
}

double
LatencySimulator::seconds(const std::vector<uint32_t> &partitionOf) const {
  return simulate<double>(partitionOf, [](double seconds) { return seconds; });
}

int64_t
LatencySimulator::units(const std::vector<uint32_t> &partitionOf) const {
  return simulate<int64_t>(
      partitionOf, [&](double seconds) { return unit.ofSeconds(seconds); });
}

} // namespace smp::passes
