// SPDX-License-Identifier: Apache-2.0
#include "PtxInstruction.h"
#include "smp/base/Lists.h"
#include <charconv>

namespace smp::test {

std::string Instruction::text() const {
  return guard + opcode + " " + join(operands, ", ") + ";";
}

bool startsWithOneOf(std::string_view text,
                     std::initializer_list<std::string_view> heads) {
  for (const std::string_view head : heads)
    if (text.starts_with(head))
      return true;
  return false;
}

std::string_view trim(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos)
    return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// Commas within braces separate nothing.
static std::vector<std::string> splitOperands(std::string_view text) {
  std::vector<std::string> operands;
  size_t begin = 0;
  int depth = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      if (!trim(text.substr(begin, i - begin)).empty())
        operands.emplace_back(trim(text.substr(begin, i - begin)));
      begin = i + 1;
    } else {
      depth += (text[i] == '{') - (text[i] == '}');
    }
  }
  return operands;
}

std::optional<Instruction> parseInstruction(std::string_view line) {
  if (!line.ends_with(';') || line.starts_with('.'))
    return std::nullopt;
  line.remove_suffix(1);
  Instruction instruction;
  if (line.starts_with('@')) {
    const size_t end = line.find_first_of(" \t");
    instruction.guard = std::string(line.substr(0, end)) + " ";
    line = trim(line.substr(end));
  }
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  instruction.opcode = line.substr(0, end);
  instruction.operands = splitOperands(line.substr(end));
  return instruction;
}

std::optional<int64_t> numberIn(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

int64_t elementBytes(std::string_view opcode) {
  const auto bits = numberIn(opcode.substr(opcode.rfind('.') + 2));
  return bits ? *bits / 8 : 0;
}

std::string resultType(const Instruction &instruction) {
  const std::string &opcode = instruction.opcode;
  if (!instruction.guard.empty() ||
      startsWithOneOf(opcode, {"ld.", "st.", "atom.", "red.", "bar."}))
    return {};
  if (opcode.starts_with("setp.") || opcode.ends_with(".pred"))
    return ".pred";
  const int64_t wide = opcode.find(".wide.") == std::string::npos ? 1 : 2;
  return ".b" + std::to_string(8 * wide * elementBytes(opcode));
}

} // namespace smp::test
