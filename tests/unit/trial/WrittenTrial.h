// SPDX-License-Identifier: Apache-2.0
// A trial that a test writes.

#ifndef SMP_TESTS_UNIT_TRIAL_WRITTENTRIAL_H
#define SMP_TESTS_UNIT_TRIAL_WRITTENTRIAL_H

#include "smp/model/Mode.h"
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace smp::test {

/// Numbers by the names of tensors, in their order.
using Numbers = std::vector<std::pair<std::string, std::vector<float>>>;

class WrittenTrial {
public:
  /// Writes the collections file: the collection `losses`, which has what is
  /// named so.
  explicit WrittenTrial(std::filesystem::path folder, unsigned workers = 1);

  /// What one worker saves in a step. Each of the lists is a tensor of rank 1.
  void add(uint64_t globalStep, Mode mode, uint64_t modeStep,
           const Numbers &tensors, unsigned worker = 0) const;
  /// The run has ended.
  void end() const;

  std::filesystem::path indexFile(uint64_t globalStep,
                                  unsigned worker = 0) const;
  std::filesystem::path eventsFile(uint64_t globalStep,
                                   unsigned worker = 0) const;
  std::string path() const { return root.string(); }

  double seconds = 1.5; ///< Since 1970: when steps are written.

private:
  const std::filesystem::path root;
};

} // namespace smp::test

#endif // SMP_TESTS_UNIT_TRIAL_WRITTENTRIAL_H
