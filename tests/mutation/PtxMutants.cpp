// SPDX-License-Identifier: Apache-2.0
#include "PtxMutants.h"
#include "PtxInstruction.h"
#include <map>

namespace smp::test {

std::string_view toString(Mutation mutation) {
  static constexpr std::string_view names[kMutations] = {
      "barrier", "mask", "bound", "branch", "offset", "alignment"};
  return names[size_t(mutation)];
}

std::string Mutant::in(std::string_view text) const {
  return std::string(text).replace(begin, before.size(), after);
}

std::string Mutant::probed(std::string_view text) const {
  return std::string(text).replace(begin, before.size(), probe);
}

/// See Mutant::probe.
static std::string probeOf(const Instruction &right, Instruction wrong) {
  const std::string type = resultType(right);
  if (type.empty())
    return {};
  wrong.operands[0] = "%wrong";
  const std::string differ = (type == ".pred" ? "xor.pred" : "setp.ne" + type) +
                             " %differ, %wrong, " + right.operands[0] + ";";
  return "{ .reg .pred %differ; .reg " + type + " %wrong; " + wrong.text() +
         " " + right.text() + " " + differ + " @%differ trap; }";
}

//===----------------------------------------------------------------------===//
// Mistakes
//===----------------------------------------------------------------------===//

namespace {
class Mutator {
public:
  explicit Mutator(std::string_view text) : text(text) {}
  std::vector<Mutant> all();

private:
  void add(Mutation mutation, std::string after, std::string probe = {});
  void addWrong(Mutation mutation, const Instruction &right,
                const Instruction &wrong);
  /// The line with another operand.
  void addOperand(Mutation mutation, const Instruction &instruction,
                  size_t operand, const std::string &value);
  void addNumbers(Mutation mutation, const Instruction &instruction,
                  size_t operand, std::initializer_list<int64_t> values);
  void mutateInstruction(const Instruction &instruction);
  void mutateGuard(Instruction instruction);
  void mutateShuffle(const Instruction &instruction);
  void mutateComparison(const Instruction &instruction);
  void mutateAccess(const Instruction &instruction);
  void mutateNumbers(const Instruction &instruction);
  void mutateSharedArray();

  std::string_view text;
  std::string_view line;
  std::vector<Mutant> mutants;
};
} // namespace

void Mutator::add(Mutation mutation, std::string after, std::string probe) {
  mutants.push_back({mutation, size_t(line.data() - text.data()),
                     std::string(line), std::move(after), std::move(probe)});
}

void Mutator::addWrong(Mutation mutation, const Instruction &right,
                       const Instruction &wrong) {
  add(mutation, wrong.text(), probeOf(right, wrong));
}

void Mutator::addOperand(Mutation mutation, const Instruction &instruction,
                         size_t operand, const std::string &value) {
  Instruction wrong = instruction;
  wrong.operands[operand] = value;
  addWrong(mutation, instruction, wrong);
}

void Mutator::addNumbers(Mutation mutation, const Instruction &instruction,
                         size_t operand,
                         std::initializer_list<int64_t> values) {
  for (const int64_t value : values)
    addOperand(mutation, instruction, operand, std::to_string(value));
}

void Mutator::mutateGuard(Instruction instruction) {
  const bool isNegated = instruction.guard.starts_with("@!");
  instruction.guard = isNegated ? "@" + instruction.guard.substr(2)
                                : "@!" + instruction.guard.substr(1);
  add(Mutation::Branch, instruction.text());
}

/// d, a, lane, last lane of a segment, who takes part.
void Mutator::mutateShuffle(const Instruction &instruction) {
  if (const auto lane = numberIn(instruction.operands[2]))
    addNumbers(Mutation::Mask, instruction, 2, {0, *lane * 2});
  if (const auto last = numberIn(instruction.operands[3]))
    addNumbers(Mutation::Mask, instruction, 3, {*last / 2});
  addNumbers(Mutation::Mask, instruction, 4, {0x7fffffff, -2});
}

/// Another number to compare with, or with equality where there was none.
void Mutator::mutateComparison(const Instruction &instruction) {
  static const std::map<std::string, std::string, std::less<>> other = {
      {"lt", "le"}, {"le", "lt"}, {"gt", "ge"}, {"ge", "gt"}, {"eq", "ne"},
      {"ne", "eq"}, {"lo", "ls"}, {"ls", "lo"}, {"hi", "hs"}, {"hs", "hi"}};
  if (const auto bound = numberIn(instruction.operands.back()))
    return addNumbers(Mutation::Bound, instruction,
                      instruction.operands.size() - 1,
                      {*bound - 1, *bound + 1});
  const size_t begin = instruction.opcode.find('.') + 1;
  const size_t end = instruction.opcode.find('.', begin);
  const auto found = other.find(instruction.opcode.substr(begin, end - begin));
  if (found == other.end())
    return;
  Instruction wrong = instruction;
  wrong.opcode.replace(begin, end - begin, found->second);
  addWrong(Mutation::Bound, instruction, wrong);
}

/// An access before and after its place, and one that is not aligned.
void Mutator::mutateAccess(const Instruction &instruction) {
  const int64_t element = elementBytes(instruction.opcode);
  int64_t vector = 1;
  for (const int64_t width : {2, 4})
    if (instruction.opcode.find(".v" + std::to_string(width) + ".") !=
        std::string::npos)
      vector = width;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const std::string &operand = instruction.operands[i];
    if (!operand.starts_with('['))
      continue;
    const std::string inner = operand.substr(1, operand.size() - 2);
    const size_t plus = std::min(inner.find('+'), inner.size());
    const int64_t offset =
        plus < inner.size() ? numberIn(inner.substr(plus + 1)).value_or(0) : 0;
    const auto shift = [&](Mutation mutation, int64_t bytes) {
      addOperand(mutation, instruction, i,
                 "[" + inner.substr(0, plus) + "+" +
                     std::to_string(offset + bytes) + "]");
    };
    shift(Mutation::Offset, element * vector);
    shift(Mutation::Offset, -element * vector);
    if (vector > 1)
      shift(Mutation::Alignment, element);
    else if (element > 1)
      shift(Mutation::Alignment, element / 2);
  }
}

/// Numbers that indices, masks and bounds are made of.
void Mutator::mutateNumbers(const Instruction &instruction) {
  const bool isMask = instruction.opcode.starts_with("and.");
  const bool isBound = startsWithOneOf(instruction.opcode, {"min.", "max."});
  for (size_t i = 1; i < instruction.operands.size(); ++i)
    if (const auto number = numberIn(instruction.operands[i])) {
      if (isMask)
        addNumbers(Mutation::Mask, instruction, i,
                   {*number / 2, *number * 2 + 1});
      else
        addNumbers(isBound ? Mutation::Bound : Mutation::Offset, instruction, i,
                   {*number - 1, *number + 1});
    }
}

void Mutator::mutateInstruction(const Instruction &instruction) {
  const std::string &opcode = instruction.opcode;
  if (!instruction.guard.empty())
    mutateGuard(instruction);
  if (startsWithOneOf(
          opcode, {"bar.", "barrier.", "fence.", "membar.", "cp.async.wait"}))
    add(Mutation::Barrier, "");
  else if (opcode.starts_with("shfl."))
    mutateShuffle(instruction);
  else if (opcode.starts_with("setp.") &&
           opcode.find(".f", opcode.rfind('.')) == std::string::npos)
    mutateComparison(instruction);
  else if (startsWithOneOf(opcode, {"ld.", "st.", "atom.", "red."}) &&
           !opcode.starts_with("ld.param"))
    mutateAccess(instruction);
  else if (startsWithOneOf(opcode, {"add.", "sub.", "mul.", "mad.", "div.",
                                    "rem.", "shl.", "shr.", "and.", "or.",
                                    "bfe.", "mov.", "min.", "max.", "selp."}))
    mutateNumbers(instruction);
}

/// ".shared .align 16 .b8 name[1024];"
void Mutator::mutateSharedArray() {
  const size_t align = line.find(".align ") + 7;
  const size_t type = line.find(' ', align);
  add(Mutation::Alignment, std::string(line.substr(0, align)) + "1" +
                               std::string(line.substr(type)));
  const size_t size = line.find('[') + 1;
  const auto bytes = numberIn(line.substr(size, line.find(']') - size));
  if (bytes)
    add(Mutation::Bound,
        std::string(line.substr(0, size)) + std::to_string(*bytes - 1) + "];");
}

std::vector<Mutant> Mutator::all() {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    line = trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with(".shared ") && line.ends_with("];"))
      mutateSharedArray();
    else if (const auto instruction = parseInstruction(line))
      mutateInstruction(*instruction);
  }
  return std::move(mutants);
}

std::vector<Mutant> mutantsOf(std::string_view text) {
  return Mutator(text).all();
}

} // namespace smp::test
