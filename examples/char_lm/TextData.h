// SPDX-License-Identifier: Apache-2.0
// The text that a model learns, and batches of it.

#ifndef SMP_EXAMPLES_CHAR_LM_TEXTDATA_H
#define SMP_EXAMPLES_CHAR_LM_TEXTDATA_H

#include <smp/exec/SessionTypes.h>
#include <string>
#include <vector>

namespace char_lm {

/// Each character's number, and what the numbers mean.
struct Text {
  std::string characters;
  std::vector<int64_t> tokens;

  /// Reads the file or, of an empty path, the licence texts that every Debian
  /// and Ubuntu has. Throws std::runtime_error.
  explicit Text(const std::string &path);
  /// What is not kept for validation.
  size_t trainingSize() const { return tokens.size() * 9 / 10; }
};

/// Sequences and, one character on, what is to be predicted.
struct Batch {
  std::vector<int64_t> tokens, targets;
  int64_t shape[2];

  explicit Batch(int64_t block) : shape{0, block} {}
  void add(const std::vector<int64_t> &text, size_t start);
  /// Borrows the batch.
  std::vector<smp::InputTensor> inputs() const;
};

/// A random number that depends on nothing but two others (splitmix64), so that
/// a resumed run makes the same choices.
uint64_t randomOf(uint64_t step, uint64_t index);

} // namespace char_lm

#endif // SMP_EXAMPLES_CHAR_LM_TEXTDATA_H
