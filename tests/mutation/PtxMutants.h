// SPDX-License-Identifier: Apache-2.0
// Mistakes that a kernel may have, made in its PTX one at a time.

#ifndef SMP_TESTS_MUTATION_PTXMUTANTS_H
#define SMP_TESTS_MUTATION_PTXMUTANTS_H

#include <string>
#include <string_view>
#include <vector>

namespace smp::test {

enum class Mutation {
  Barrier,   ///< Removed.
  Mask,      ///< Of bits, or of the lanes and the distance of a shuffle.
  Bound,     ///< Of a comparison, a minimum, a maximum or a shared array.
  Branch,    ///< Taken, or done, where it was not.
  Offset,    ///< Of an access by its size; a number that indices are made of.
  Alignment, ///< Of an access or of a shared array.
};
constexpr size_t kMutations = 6;

/// "barrier", "mask" ...
std::string_view toString(Mutation mutation);

struct Mutant {
  Mutation mutation = Mutation::Barrier;
  size_t begin = 0; ///< The line's first character.
  /// The line and what stands in its place, without spaces around them.
  std::string before, after;

  /// Where it computes one value: the line, the mistake beside it, and a trap
  /// for threads to which they give different values. Else nothing.
  std::string probe;

  /// The text with the mistake.
  std::string in(std::string_view text) const;
  /// The text with the probe.
  std::string probed(std::string_view text) const;
};

/// Every mistake that is known how to make in kernels of a PTX text as LLVM
/// writes it, an instruction per line.
std::vector<Mutant> mutantsOf(std::string_view text);

} // namespace smp::test

#endif // SMP_TESTS_MUTATION_PTXMUTANTS_H
