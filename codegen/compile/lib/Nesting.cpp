// SPDX-License-Identifier: Apache-2.0
#include "smp/compile/Nesting.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <algorithm>

namespace smp::compile {

namespace {

/// Goes through the text; strings, comments, arrows and comparisons hold no
/// brackets.
class Scanner {
public:
  explicit Scanner(std::string_view text) : text(text) {}

  /// The character of the next bracket; 0 at the end.
  char next() {
    while (at < text.size()) {
      const char c = text[at++];
      if (c == '"')
        skipString();
      else if (c == '/' && startsWith("/"))
        at = std::min(text.find('\n', at), text.size());
      else if (c == '-' && startsWith(">"))
        ++at;
      else if ((c == '<' || c == '>') && startsWith("="))
        ++at;
      else if (std::string_view("([{<)]}>").find(c) != std::string_view::npos)
        return c;
    }
    return 0;
  }
  size_t line() const {
    return 1 + size_t(std::count(text.begin(), text.begin() + long(at), '\n'));
  }

private:
  bool startsWith(std::string_view what) const {
    return text.substr(at).starts_with(what);
  }
  void skipString() {
    while (at < text.size() && text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at + 1, text.size());
  }

  std::string_view text;
  size_t at = 0;
};

} // namespace

Status checkNesting(std::string_view text) {
  if (mlir::isBytecode(llvm::MemoryBufferRef({text.data(), text.size()}, "")))
    return Status();
  Scanner scanner(text);
  int depth = 0;
  while (const char bracket = scanner.next()) {
    depth += std::string_view("([{<").find(bracket) != std::string_view::npos
                 ? 1
                 : -1;
    if (depth > kDeepestNesting)
      return invalidArgument(
          "line " + std::to_string(scanner.line()) + " has more than " +
          std::to_string(kDeepestNesting) + " brackets within each other");
  }
  return Status();
}

} // namespace smp::compile
