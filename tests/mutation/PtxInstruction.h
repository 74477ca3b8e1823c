// SPDX-License-Identifier: Apache-2.0
// A line of PTX, taken apart and put together.

#ifndef SMP_TESTS_MUTATION_PTXINSTRUCTION_H
#define SMP_TESTS_MUTATION_PTXINSTRUCTION_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace smp::test {

struct Instruction {
  std::string guard;                 ///< "@%p1 " or nothing.
  std::string opcode;                ///< "ld.global.nc.b32"
  std::vector<std::string> operands; ///< A vector in braces is one.

  std::string text() const;
};

/// Nothing where the line is a label, a directive or a comment.
std::optional<Instruction> parseInstruction(std::string_view line);
/// ".b32" for what the instruction gives; nothing where that is not one value.
std::string resultType(const Instruction &instruction);
/// Bytes of an element: by what the opcode ends with.
int64_t elementBytes(std::string_view opcode);

/// The text without spaces around it.
std::string_view trim(std::string_view text);
bool startsWithOneOf(std::string_view text,
                     std::initializer_list<std::string_view> heads);
/// The number that the whole text is.
std::optional<int64_t> numberIn(std::string_view text);

} // namespace smp::test

#endif // SMP_TESTS_MUTATION_PTXINSTRUCTION_H
