// SPDX-License-Identifier: Apache-2.0
// How mutators change a part of an input.

#ifndef SMP_TESTS_FUZZ_MUTATION_H
#define SMP_TESTS_FUZZ_MUTATION_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

namespace smp {

/// As libFuzzer does, to at most `most` bytes or as many as there are.
template <typename Part>
void mutate(Part &part, size_t most) {
  const size_t size = part.size();
  part.resize(std::max({size, most, size_t(1)}));
  part.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(part.data()), size,
                               part.size()));
}

/// Of a JSON text, which stays one more often than by mutate(): puts another
/// number in the place of one, or something in the place of a list or a text,
/// or repeats it.
void mutateJson(std::string &text, size_t most, unsigned seed);

} // namespace smp

#endif // SMP_TESTS_FUZZ_MUTATION_H
