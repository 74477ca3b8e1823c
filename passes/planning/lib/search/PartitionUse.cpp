// SPDX-License-Identifier: Apache-2.0
#include "PartitionUse.h"

namespace smp::passes {

PartitionUse::PartitionUse(const Contraction &problem, size_t mostStates)
    : members(problem.partitions.classes), partitions(problem.partitions) {
  for (uint32_t p = 0; p < partitions.count; ++p)
    if (problem.numFixed[p] == 0)
      members[partitions.classOf[p]].push_back(p);
  size_t states = 1;
  for (const std::vector<uint32_t> &alike : members)
    if (states <= mostStates)
      states *= alike.size() + 1;
  if (states <= mostStates)
    countByClass();
  else
    sequenceAll();
}

void PartitionUse::countByClass() {
  uint32_t states = 1;
  for (const std::vector<uint32_t> &alike : members) {
    strides.push_back(states);
    states *= uint32_t(alike.size() + 1);
  }
  steps.resize(states);
  for (uint32_t state = 0; state < states; ++state)
    for (uint32_t c = 0; c < members.size(); ++c)
      if (state / strides[c] % (members[c].size() + 1) < members[c].size())
        steps[state].push_back({c, state + strides[c]});
}

void PartitionUse::sequenceAll() {
  for (uint32_t p = 0; p < partitions.count; ++p)
    for (uint32_t member : members[partitions.classOf[p]])
      if (member == p)
        sequence.push_back(p);
  steps.resize(sequence.size() + 1);
  for (uint32_t i = 0; i < sequence.size(); ++i)
    steps[i].push_back({partitions.classOf[sequence[i]], i + 1});
}

uint32_t PartitionUse::partitionOf(uint32_t state, Step step) const {
  if (isSequence())
    return sequence[state];
  const uint32_t c = step.partitionClass;
  return members[c][state / strides[c] % (members[c].size() + 1)];
}

} // namespace smp::passes
