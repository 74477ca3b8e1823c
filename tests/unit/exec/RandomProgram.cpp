// SPDX-License-Identifier: Apache-2.0
#include "RandomProgram.h"
#include <algorithm>

namespace smp::test {

static constexpr float kVariable = 5, kConstant = 3;
static constexpr float kPrepared = 2 * kVariable + 1;

float RandomEntry::valueOf(Edge::End value,
                           const std::vector<float> &inputs) const {
  if (value.stage == kCaller)
    return inputs[value.index];
  const Sum &sum = stages[size_t(value.stage)][value.index];
  return valueOf(sum.first, inputs) +
         (sum.second ? valueOf(*sum.second, inputs) : sum.number);
}

RandomProgram::RandomProgram(uint32_t seed)
    : random(seed), partitions(1 + below(4)), batchAxis(int32_t(below(2))),
      maker(partitions), constants(16, kConstant) {
  maker.program.constants = std::as_bytes(std::span(constants));
  const uint32_t v = maker.splat("v", kVariable);
  for (uint32_t p = 0; p < partitions; ++p)
    maker.prepare(p,
                  {maker.launch("twice_plus_one16", {variable(v), output(0)})});
  std::vector<Entry> made;
  for (uint32_t count = 1 + below(2); made.size() < count;) {
    maker.entry() = {};
    maker.entry().name = "e" + std::to_string(made.size());
    addEntry();
    std::vector<double> costs;
    for (size_t s = 0; s < maker.entry().stages.size(); ++s)
      costs.push_back(1 + below(4));
    if (below(2))
      planOrder(maker, costs);
    made.push_back(maker.entry());
  }
  maker.program.entries = std::move(made);
}

void RandomProgram::addEntry() {
  entries.emplace_back();
  values.clear();
  takers.clear();
  for (uint32_t i = 0, count = 1 + below(3); i < count; ++i) {
    maker.input("x" + std::to_string(i), batchAxis);
    values.push_back({kCaller, i});
  }
  for (uint32_t s = 0, count = 1 + below(6); s < count; ++s)
    addStage(int32_t(s));
  for (uint32_t i = 0, count = 1 + below(4); i < count; ++i) {
    maker.output("y" + std::to_string(i), batchAxis);
    const Edge::End value = take({kCaller, i});
    entries.back().outputs.push_back(value);
  }
  for (auto &[from, to] : takers) {
    std::shuffle(to.begin(), to.end(), random);
    maker.edge({from.first, from.second}, to, 1 + below(3));
  }
  auto &edges = maker.entry().edges;
  std::shuffle(edges.begin(), edges.end(), random);
}

void RandomProgram::addStage(int32_t position) {
  const uint32_t partition = below(partitions);
  std::vector<Edge::End> inputs;
  for (uint32_t i = 0, count = 1 + below(2); i < count; ++i)
    inputs.push_back(take({position, i}));
  const uint32_t outputs = 1 + below(3);
  std::vector<Sum> sums;
  std::vector<Launch> launches;
  for (uint32_t i = 0; i < outputs; ++i) {
    const uint32_t a = below(inputs.size()), b = below(inputs.size());
    const std::pair<Sum, BufferRef> kinds[] = {
        {{inputs[a], inputs[b]}, input(b)},
        {{inputs[a], {}, kVariable}, variable(0)},
        {{inputs[a], {}, kConstant}, constant(0)},
        {{inputs[a], {}, kPrepared}, prepared(partition)}};
    const auto &[sum, second] = kinds[below(std::size(kinds))];
    sums.push_back(sum);
    launches.push_back(maker.launch("add16", {input(a), second, output(i)}));
    if (below(5)) // What is not here, nobody takes.
      values.push_back({position, i});
  }
  maker.stage(partition, uint32_t(inputs.size()), outputs, launches,
              64 * below(3));
  entries.back().stages.push_back(std::move(sums));
}

Edge::End RandomProgram::take(Edge::End taker) {
  const Edge::End value = values[below(values.size())];
  takers[{value.stage, value.index}].push_back(taker);
  return value;
}

} // namespace smp::test
