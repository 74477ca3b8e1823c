// SPDX-License-Identifier: Apache-2.0
#include "Lexer.h"
#include <algorithm>
#include <cctype>

using namespace smp::emulator;

static bool isWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%';
}

static bool isOneOf(char c, std::string_view signs) {
  return signs.find(c) != std::string_view::npos;
}

void Lexer::skipBlanks() {
  while (at < text.size()) {
    if (starts("//")) {
      at = std::min(text.find('\n', at), text.size());
    } else if (starts("/*")) {
      const size_t end = std::min(text.find("*/", at), text.size());
      for (; at < end; ++at)
        line += text[at] == '\n';
      at = std::min(at + 2, text.size());
    } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
      line += text[at++] == '\n';
    } else {
      return;
    }
  }
}

// 0x1f, 017, 0b1, 12, each with an optional U; 0f and 0d with bits in
// hexadecimal.
Token Lexer::number() {
  const size_t start = at;
  Token token{TokenKind::Integer, {}, line, 0};
  uint64_t base = 10;
  const char next = at + 1 < text.size() ? text[at + 1] : 0;
  if (text[at] == '0' && next && isOneOf(next, "xXfFdDbB")) {
    const char form = std::tolower(static_cast<unsigned char>(next));
    token.kind = form == 'f'   ? TokenKind::Single
                 : form == 'd' ? TokenKind::Double
                               : TokenKind::Integer;
    base = form == 'b' ? 2 : 16;
    at += 2;
  } else if (text[at] == '0') {
    base = 8;
  }
  for (; at < text.size(); ++at) {
    const char c = std::tolower(static_cast<unsigned char>(text[at]));
    const uint64_t digit = std::isdigit(static_cast<unsigned char>(c)) ? c - '0'
                           : c >= 'a' && c <= 'f' ? c - 'a' + 10
                                                  : 99;
    if (digit >= base)
      break;
    token.value = token.value * base + digit;
  }
  if (at < text.size() && text[at] == 'U')
    ++at;
  token.text = text.substr(start, at - start);
  if (at < text.size() && isWord(text[at]))
    token.kind = TokenKind::Unknown;
  return token;
}

Token Lexer::next() {
  skipBlanks();
  if (at == text.size())
    return {TokenKind::End, "the end of the text", line, 0};
  const size_t start = at;
  const char c = text[at];
  if (std::isdigit(static_cast<unsigned char>(c)))
    return number();
  if (c == '"') {
    const size_t end = std::min(text.find('"', at + 1), text.size());
    at = std::min(end + 1, text.size());
    return {TokenKind::String, text.substr(start + 1, end - start - 1), line,
            0};
  }
  const bool dotted = c == '.';
  at += dotted;
  while (at < text.size() &&
         (isWord(text[at]) || (dotted && starts("::") && ++at)))
    ++at;
  if (at > start + dotted)
    return {dotted ? TokenKind::Dotted : TokenKind::Word,
            text.substr(start, at - start), line, 0};
  at = start + 1;
  const bool known = isOneOf(c, "{}[]()<>,;:=+-@!|");
  return {known ? TokenKind::Sign : TokenKind::Unknown, text.substr(start, 1),
          line, 0};
}
