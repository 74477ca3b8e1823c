// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_PTX_SYNTAX_H
#define SMP_EMULATOR_PTX_SYNTAX_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace smp::emulator {

enum class Space : uint8_t {
  Register,
  Param,
  Global,
  Const,
  Shared,
  Local,
  Generic,
};

/// How the bits of a value are meant.
enum class TypeClass : uint8_t { Bits, Unsigned, Signed, Float, BFloat, Pred };

/// A type of PTX: .u32, .f16x2 (packed, 4 bytes), .pred.
struct Type {
  TypeClass kind = TypeClass::Bits;
  uint8_t bytes = 0;
  bool packed = false; ///< Two halves.

  bool operator==(const Type &) const = default;
};

/// The type that ".u32" names, or one of no bytes.
Type parseType(std::string_view word);

/// A register, an array or a parameter that a text declares.
struct Declared {
  std::string name;
  Space space = Space::Register;
  Type type;
  uint64_t bytes = 0; ///< All elements.
  uint32_t align = 1;
  bool external = false;          ///< .extern: dynamic shared memory.
  std::vector<std::byte> initial; ///< As far as it is given; zeros behind.
  uint32_t line = 0;
};

enum class OperandKind : uint8_t {
  None,     ///< _
  Symbol,   ///< A name; `declared` if it was declared.
  Integer,  ///< `value`
  Single,   ///< The bits of an f32
  Double,   ///< The bits of an f64
  Address,  ///< [name+value]
  Elements, ///< {a, b}
};

struct SourceOperand {
  OperandKind kind = OperandKind::None;
  std::string_view name;
  /// Index into Function::declared, or into SourceModule::variables +
  /// kModuleLevel.
  int32_t declared = -1;
  uint64_t value = 0;
  bool negated = false; ///< !%p1
  std::vector<SourceOperand>
      elements; ///< Of Elements; a|b: the second is here.
};

inline constexpr int32_t kModuleLevel = 1 << 24;

/// An instruction, or a label before the next one.
struct Statement {
  uint32_t line = 0;
  uint32_t location = 0;  ///< Index into SourceModule::locations.
  std::string_view label; ///< This and nothing else.
  std::string_view text;  ///< From the guard to the last operand.
  std::string_view opcode;
  std::vector<std::string_view> modifiers; ///< Without dots.
  bool guarded = false;
  SourceOperand guard;
  std::vector<SourceOperand> operands;
};

/// What .loc says: a line of a file, which may be an op's name.
struct SourceLocation {
  std::shared_ptr<const std::string> file; ///< Null: nothing was said.
  uint64_t line = 0;

  bool operator==(const SourceLocation &) const = default;
};

struct Function {
  std::string name;
  bool entry = false;
  bool defined = false;
  uint32_t line = 0;
  std::vector<Declared> declared;
  /// Indices into `declared`, in order.
  std::vector<int32_t> results, parameters;
  std::vector<Statement> body;
  uint64_t bodyBytes = 0; ///< Of the text.
  /// The labels of each .branchtargets.
  std::map<std::string_view, std::vector<std::string_view>> targets;
  uint32_t maxThreads[3] = {}, requiredThreads[3] = {}, requiredCluster[3] = {};
};

struct SourceModule {
  uint32_t version = 0; ///< 80 for 8.0
  uint32_t target = 0;  ///< 80 for sm_80
  std::vector<Declared> variables;
  std::vector<Function> functions;
  /// Those with a body, as indices into `functions`.
  std::map<std::string, size_t, std::less<>> defined;
  std::vector<SourceLocation> locations{{}};
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_PTX_SYNTAX_H
