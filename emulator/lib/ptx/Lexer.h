// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_PTX_LEXER_H
#define SMP_EMULATOR_PTX_LEXER_H

#include <cstdint>
#include <string_view>

namespace smp::emulator {

enum class TokenKind {
  End,
  Word,    ///< add, %r1, $L__BB0_2, _
  Dotted,  ///< .rn: a directive or a modifier
  Integer, ///< 12, 0x1fU
  Single,  ///< 0f3F800000
  Double,  ///< 0d3FF0000000000000
  String,  ///< "file.c", without the quotes
  Sign,    ///< one character of punctuation
  Unknown, ///< A character that PTX does not have.
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  uint32_t line = 0;
  uint64_t value = 0; ///< Of a number, or its bits.

  bool is(char sign) const {
    return kind == TokenKind::Sign && text[0] == sign;
  }
  bool is(std::string_view word) const {
    return (kind == TokenKind::Word || kind == TokenKind::Dotted) &&
           text == word;
  }
};

/// Cuts a PTX text into tokens; comments and blanks are left out. Tokens are
/// views of the text.
class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}
  Token next();

private:
  void skipBlanks();
  Token number();
  bool starts(std::string_view what) const {
    return text.substr(at).starts_with(what);
  }

  std::string_view text;
  size_t at = 0;
  uint32_t line = 1;
};

} // namespace smp::emulator

#endif // SMP_EMULATOR_PTX_LEXER_H
