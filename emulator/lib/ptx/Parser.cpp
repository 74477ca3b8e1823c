// SPDX-License-Identifier: Apache-2.0
#include "Parser.h"

using namespace smp::emulator;

Parser::Parser(std::string_view text)
    : text(text), lexer(text), token(lexer.next()), ahead(lexer.next()) {
  scopes.emplace_back();
}

void Parser::advance() {
  token = ahead;
  ahead = lexer.next();
}

bool Parser::accept(char sign) {
  if (!token.is(sign))
    return false;
  advance();
  return true;
}

bool Parser::expect(char sign) {
  return accept(sign) || fail(std::string("expected '") + sign + "', not '" +
                              std::string(token.text) + "'");
}

bool Parser::failAt(uint32_t line, const std::string &what) {
  if (message.empty())
    message = "line " + std::to_string(line) + ": " + what;
  return false;
}

bool Parser::fail(const std::string &what) { return failAt(token.line, what); }

bool Parser::integer(int64_t &value) {
  const bool minus = accept('-');
  if (token.kind != TokenKind::Integer)
    return fail("expected a number, not '" + std::string(token.text) + "'");
  value = static_cast<int64_t>(minus ? 0 - token.value : token.value);
  advance();
  return true;
}

std::optional<SourceModule> Parser::parse() {
  while (token.kind != TokenKind::End)
    if (!topLevel())
      return std::nullopt;
  if (module.version == 0 || module.target == 0) {
    fail("no .version and .target");
    return std::nullopt;
  }
  return std::move(module);
}

// One directive of the module, with what says who may see it before it.
bool Parser::topLevel() {
  bool external = false;
  for (;; advance()) {
    if (token.is(".extern") || token.is(".common"))
      external = true;
    else if (!token.is(".visible") && !token.is(".weak"))
      break;
  }
  if (token.is(".entry") || token.is(".func"))
    return function(token.is(".entry"));
  if (token.is(".global"))
    return declaration(Space::Global, external, /*one=*/false,
                       module.variables) &&
           expect(';');
  if (token.is(".const"))
    return declaration(Space::Const, external, /*one=*/false,
                       module.variables) &&
           expect(';');
  if (token.is(".shared"))
    return declaration(Space::Shared, external, /*one=*/false,
                       module.variables) &&
           expect(';');
  if (token.is(".version"))
    return version();
  if (token.is(".target"))
    return target();
  if (token.is(".file"))
    return file();
  if (token.is(".section"))
    return section();
  if (token.is(".address_size")) {
    advance();
    int64_t bits = 0;
    return integer(bits) && (bits == 64 || fail(".address_size is not 64"));
  }
  return fail("unknown directive '" + std::string(token.text) + "'");
}

// 8.0 is an integer and a dotted word.
bool Parser::version() {
  advance();
  int64_t major = 0;
  if (!integer(major))
    return false;
  if (token.kind != TokenKind::Dotted || token.text.size() != 2 ||
      token.text[1] < '0' || token.text[1] > '9')
    return fail("expected a version as 8.0");
  if (major < 0 || major > 99)
    return fail("version " + std::to_string(major) + " of PTX");
  module.version = static_cast<uint32_t>(major * 10 + (token.text[1] - '0'));
  advance();
  return true;
}

bool Parser::target() {
  advance();
  const std::string name(token.text);
  if (token.kind != TokenKind::Word || !name.starts_with("sm_"))
    return fail("expected a target as sm_80, not '" + name + "'");
  module.target = 0;
  for (const char c : name.substr(3))
    if (c >= '0' && c <= '9' && module.target < 1000)
      module.target = module.target * 10 + (c - '0');
  advance();
  while (accept(',')) // debug, texmode
    advance();
  return true;
}

bool Parser::file() {
  advance();
  int64_t number = 0;
  if (!integer(number))
    return false;
  if (token.kind != TokenKind::String)
    return fail("expected the name of a file");
  files[static_cast<uint64_t>(number)] =
      std::make_shared<const std::string>(token.text);
  advance();
  while (accept(',')) // Time and size.
    advance();
  return true;
}

// What debuggers read.
bool Parser::section() {
  while (token.kind != TokenKind::End && !token.is('{'))
    advance();
  while (token.kind != TokenKind::End && !token.is('}'))
    advance();
  return expect('}');
}

bool Parser::numbers(uint32_t (&into)[3]) {
  advance();
  into[0] = into[1] = into[2] = 1;
  for (uint32_t &number : into) {
    int64_t value = 0;
    if (!integer(value))
      return false;
    if (value < 1 || value > 0x7fffffff)
      return fail("expected a positive number");
    number = static_cast<uint32_t>(value);
    if (!accept(','))
      break;
  }
  return true;
}

bool Parser::attributes() {
  for (;;) {
    if (token.is(".maxntid")) {
      if (!numbers(current->maxThreads))
        return false;
    } else if (token.is(".reqntid")) {
      if (!numbers(current->requiredThreads))
        return false;
    } else if (token.is(".reqnctapercluster")) {
      if (!numbers(current->requiredCluster))
        return false;
    } else if (token.is(".minnctapersm") || token.is(".maxnreg") ||
               token.is(".maxclusterrank")) {
      uint32_t unused[3];
      if (!numbers(unused))
        return false;
    } else if (token.is(".noreturn") || token.is(".explicitcluster")) {
      advance();
    } else {
      return true;
    }
  }
}

bool Parser::parameters(std::vector<int32_t> &indices) {
  if (!accept('('))
    return true;
  while (!token.is(')')) {
    if (!token.is(".param"))
      return fail("expected .param, not '" + std::string(token.text) + "'");
    if (!declaration(Space::Param, /*external=*/false, /*one=*/true,
                     current->declared, &indices))
      return false;
    if (!accept(','))
      break;
  }
  return expect(')');
}

bool Parser::function(bool entry) {
  Function made;
  made.entry = entry;
  made.line = token.line;
  current = &made;
  scopes.emplace_back();
  advance();
  if (!parameters(made.results))
    return false;
  if (token.kind != TokenKind::Word)
    return fail("expected the name of a function");
  made.name = std::string(token.text);
  advance();
  if (!parameters(made.parameters) || !attributes())
    return false;
  if (token.is('{')) {
    made.defined = true;
    const char *start = token.text.data();
    advance();
    if (!body())
      return false;
    made.bodyBytes = static_cast<uint64_t>(bodyEnd - start);
    if (!module.defined.emplace(made.name, module.functions.size()).second)
      return failAt(made.line, "'" + made.name + "' is defined twice");
  } else if (!expect(';')) {
    return false;
  }
  scopes.pop_back();
  current = nullptr;
  module.functions.push_back(std::move(made));
  return true;
}
