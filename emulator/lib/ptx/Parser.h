// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_PTX_PARSER_H
#define SMP_EMULATOR_PTX_PARSER_H

#include "Lexer.h"
#include "Syntax.h"
#include <map>
#include <optional>

namespace smp::emulator {

/// Reads a module. Names are resolved by their scopes; labels and functions are
/// left to those who know all of them.
class Parser {
public:
  /// Blocks, operands and initialisers nest so deep at most.
  static constexpr uint32_t kMaxDepth = 64;

  explicit Parser(std::string_view text);
  /// Nothing on an error, which error() then says with its line.
  std::optional<SourceModule> parse();
  const std::string &error() const { return message; }

private:
  // Tokens.
  void advance();
  bool accept(char sign);
  bool expect(char sign);
  bool fail(const std::string &what);
  bool failAt(uint32_t line, const std::string &what);
  bool integer(int64_t &value);

  // Declarations (Declarations.cpp).
  bool declaration(Space space, bool external, bool one,
                   std::vector<Declared> &into,
                   std::vector<int32_t> *indices = nullptr);
  bool declaredTypes(Declared &pattern);
  bool registerRange(const Declared &pattern);
  bool declaredName(const Declared &pattern, std::vector<Declared> &into,
                    std::vector<int32_t> *indices);
  bool initialiser(Declared &variable);
  bool element(Declared &variable);
  bool declare(const Declared &what, std::vector<Declared> &into);

  // The module's own level.
  bool topLevel();
  bool version();
  bool target();
  bool file();
  bool section();
  bool function(bool entry);
  bool parameters(std::vector<int32_t> &indices);
  bool attributes();
  bool numbers(uint32_t (&into)[3]);
  void locate(uint64_t file, uint64_t line);

  // Bodies (Statements.cpp).
  bool body();
  bool bodyDirective();
  bool branchTargets(std::string_view name);
  bool location();
  bool statement();
  bool guard(Statement &into);
  bool operand(SourceOperand &into);
  bool value(SourceOperand &into);
  bool address(SourceOperand &into);
  bool elements(SourceOperand &into, char close);
  int32_t resolve(std::string_view name);

  /// `count` registers whose names are a prefix and a number. They are declared
  /// when they are named.
  struct RegisterRange {
    Declared pattern;
    uint64_t count = 0;
  };
  struct Scope {
    std::map<std::string, int32_t, std::less<>> names;
    std::map<std::string, RegisterRange, std::less<>> ranges;
  };
  const RegisterRange *rangeOf(const Scope &scope, std::string_view name) const;

  std::string_view text;
  Lexer lexer;
  Token token, ahead;
  SourceModule module;
  Function *current = nullptr;
  std::vector<Scope> scopes;
  std::map<uint64_t, std::shared_ptr<const std::string>> files;
  uint32_t locationIndex = 0;
  const char *bodyEnd = nullptr; // Of the last one.
  uint32_t depth = 0;            // Of braces within operands and initialisers.
  std::string message;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_PTX_PARSER_H
