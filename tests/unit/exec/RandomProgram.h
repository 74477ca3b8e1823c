// SPDX-License-Identifier: Apache-2.0
// Programs of stages that add, at random, and what their outputs are.

#ifndef SMP_TESTS_UNIT_EXEC_RANDOMPROGRAM_H
#define SMP_TESTS_UNIT_EXEC_RANDOMPROGRAM_H

#include "TestPrograms.h"
#include <map>
#include <optional>
#include <random>

namespace smp::test {

/// What a stage makes: a value and another, or a number, added.
struct Sum {
  Edge::End first;
  std::optional<Edge::End> second;
  float number = 0;
};

struct RandomEntry {
  std::vector<std::vector<Sum>> stages;
  std::vector<Edge::End> outputs; ///< Where they are made.

  /// Of one element, for this element of the inputs.
  float valueOf(Edge::End value, const std::vector<float> &inputs) const;
};

/// One or two entries, whose stages take what inputs and stages before give.
class RandomProgram {
public:
  explicit RandomProgram(uint32_t seed);

  uint32_t below(size_t bound) { return uint32_t(random() % bound); }

  std::mt19937 random;
  const uint32_t partitions;
  const int32_t batchAxis;
  ProgramMaker maker;
  std::vector<RandomEntry> entries;

private:
  void addEntry();
  void addStage(int32_t position);
  /// A value of those that there are, which the taker gets.
  Edge::End take(Edge::End taker);

  std::vector<float> constants;
  std::vector<Edge::End> values; // That can be taken.
  std::map<std::pair<int32_t, uint32_t>, std::vector<Edge::End>> takers;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_EXEC_RANDOMPROGRAM_H
