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

  /// The next bracket, or '#' before a number, which resultNumber() is; 0 at
  /// the end.
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
      else if (c == '#' && at < text.size() && isdigit(text[at]))
        return c;
      else if (std::string_view("([{<)]}>").find(c) != std::string_view::npos)
        return c;
    }
    return 0;
  }
  /// Beyond kMostResults: any number that is.
  int64_t resultNumber() {
    int64_t number = 0;
    for (; at < text.size() && isdigit(text[at]); ++at)
      number = std::min(number * 10 + (text[at] - '0'), kMostResults + 1);
    return number;
  }
  size_t line() const {
    return 1 + size_t(std::count(text.begin(), text.begin() + long(at), '\n'));
  }

private:
  static bool isdigit(char c) { return c >= '0' && c <= '9'; }
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
    if (bracket == '#') {
      if (scanner.resultNumber() >= kMostResults)
        return invalidArgument(
            "line " + std::to_string(scanner.line()) +
            " takes a result by a number that is not below " +
            std::to_string(kMostResults));
      continue;
    }
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
