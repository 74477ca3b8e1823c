// SPDX-License-Identifier: Apache-2.0
// The body of a function.
#include "Parser.h"

using namespace smp::emulator;

// The name's end is the number, as short as it can be written.
const Parser::RegisterRange *Parser::rangeOf(const Scope &scope,
                                             std::string_view name) const {
  static constexpr size_t kMaxDigits = 7;
  uint64_t number = 0, unit = 1;
  for (size_t digits = 1; digits <= kMaxDigits && digits < name.size();
       ++digits, unit *= 10) {
    const char digit = name[name.size() - digits];
    if (digit < '0' || digit > '9')
      return nullptr;
    number += static_cast<uint64_t>(digit - '0') * unit;
    if (digit == '0' && digits > 1)
      continue;
    const auto found = scope.ranges.find(name.substr(0, name.size() - digits));
    if (found != scope.ranges.end() && number < found->second.count)
      return &found->second;
  }
  return nullptr;
}

int32_t Parser::resolve(std::string_view name) {
  for (size_t level = scopes.size(); level-- > 0;) {
    Scope &scope = scopes[level];
    if (const auto found = scope.names.find(name); found != scope.names.end())
      return found->second;
    if (const RegisterRange *range = rangeOf(scope, name)) {
      const auto index = static_cast<int32_t>(current->declared.size());
      Declared &made = current->declared.emplace_back(range->pattern);
      made.name = std::string(name);
      scope.names.emplace(made.name, index);
      return index;
    }
  }
  return -1;
}

bool Parser::body() {
  for (const size_t outer = scopes.size();;) {
    if (token.is('{')) {
      if (scopes.size() - outer >= kMaxDepth)
        return fail("blocks that nest deeper than " +
                    std::to_string(kMaxDepth));
      advance();
      scopes.emplace_back();
    } else if (token.is('}')) {
      bodyEnd = token.text.data() + 1;
      advance();
      if (scopes.size() == outer)
        return true;
      scopes.pop_back();
    } else if (token.kind == TokenKind::Dotted) {
      if (!bodyDirective())
        return false;
    } else if (token.kind == TokenKind::Word && ahead.is(':')) {
      Statement label;
      label.line = token.line;
      label.label = token.text;
      advance();
      advance();
      if (token.is(".branchtargets")) {
        if (!branchTargets(label.label))
          return false;
      } else {
        current->body.push_back(label);
      }
    } else if (!statement()) {
      return false;
    }
  }
}

bool Parser::bodyDirective() {
  if (token.is(".loc"))
    return location();
  if (token.is(".pragma")) {
    while (token.kind != TokenKind::End && !token.is(';'))
      advance();
    return expect(';');
  }
  const Space space = token.is(".reg")      ? Space::Register
                      : token.is(".local")  ? Space::Local
                      : token.is(".shared") ? Space::Shared
                      : token.is(".param")  ? Space::Param
                                            : Space::Generic;
  if (space == Space::Generic)
    return fail("unknown directive '" + std::string(token.text) + "'");
  return declaration(space, /*external=*/false, /*one=*/false,
                     current->declared) &&
         expect(';');
}

bool Parser::branchTargets(std::string_view name) {
  std::vector<std::string_view> labels;
  do {
    advance();
    labels.push_back(token.text);
    advance();
  } while (token.is(','));
  if (!current->targets.emplace(name, std::move(labels)).second)
    return fail("'" + std::string(name) + "' is declared twice");
  return expect(';');
}

// .loc 1 12 3, function_name $L__info, inlined_at 1 3 4
bool Parser::location() {
  advance();
  int64_t number = 0, line = 0, column = 0;
  if (!integer(number) || !integer(line) || !integer(column))
    return false;
  while (accept(',')) {
    advance();
    while (token.kind == TokenKind::Integer ||
           (token.kind == TokenKind::Word && token.text.starts_with("$")) ||
           token.is('+'))
      advance();
  }
  locate(static_cast<uint64_t>(number), static_cast<uint64_t>(line));
  return true;
}

void Parser::locate(uint64_t file, uint64_t line) {
  auto &name = files[file];
  if (!name)
    name = std::make_shared<const std::string>("file " + std::to_string(file));
  const SourceLocation where{name, line};
  if (module.locations.back() != where)
    module.locations.push_back(where);
  locationIndex = static_cast<uint32_t>(module.locations.size() - 1);
}

bool Parser::guard(Statement &into) {
  if (!accept('@'))
    return true;
  into.guarded = true;
  into.guard.negated = accept('!');
  return operand(into.guard);
}

bool Parser::statement() {
  Statement made;
  made.line = token.line;
  made.location = locationIndex;
  const char *start = token.text.data();
  if (token.kind == TokenKind::End)
    return fail("the text ends within a function");
  if (!guard(made))
    return false;
  if (token.kind != TokenKind::Word)
    return fail("expected an instruction, not '" + std::string(token.text) +
                "'");
  made.opcode = token.text;
  advance();
  for (; token.kind == TokenKind::Dotted; advance())
    made.modifiers.push_back(token.text.substr(1));
  while (!token.is(';')) {
    if (token.kind == TokenKind::End)
      return fail("the text ends within an instruction");
    if (!operand(made.operands.emplace_back()))
      return false;
    if (!token.is(';') && !expect(','))
      return false;
  }
  made.text = {start, static_cast<size_t>(token.text.data() - start)};
  advance();
  current->body.push_back(std::move(made));
  return true;
}

bool Parser::elements(SourceOperand &into, char close) {
  advance();
  into.kind = OperandKind::Elements;
  while (!token.is(close)) {
    if (!operand(into.elements.emplace_back()))
      return false;
    if (!accept(','))
      break;
  }
  return expect(close);
}

// [name], [name+8], [name+-8], [16]
bool Parser::address(SourceOperand &into) {
  advance();
  into.kind = OperandKind::Address;
  int64_t offset = 0;
  if (token.kind == TokenKind::Word) {
    into.name = token.text;
    into.declared = resolve(token.text);
    advance();
    if ((accept('+') || token.is('-')) && !integer(offset))
      return false;
  } else if (!integer(offset)) {
    return false;
  }
  into.value = static_cast<uint64_t>(offset);
  return expect(']');
}

bool Parser::operand(SourceOperand &into) {
  if (++depth > kMaxDepth)
    return fail("an operand that nests deeper than " +
                std::to_string(kMaxDepth));
  const bool good = value(into);
  --depth;
  return good;
}

bool Parser::value(SourceOperand &into) {
  if (token.is('{'))
    return elements(into, '}');
  if (token.is('('))
    return elements(into, ')');
  if (token.is('['))
    return address(into);
  if (accept('!'))
    into.negated = true;
  if (token.kind == TokenKind::Single || token.kind == TokenKind::Double) {
    into.kind = token.kind == TokenKind::Single ? OperandKind::Single
                                                : OperandKind::Double;
    into.value = token.value;
    advance();
    return true;
  }
  if (token.kind == TokenKind::Integer || token.is('-')) {
    int64_t value = 0;
    into.kind = OperandKind::Integer;
    if (!integer(value))
      return false;
    into.value = static_cast<uint64_t>(value);
    return true;
  }
  if (token.kind != TokenKind::Word)
    return fail("expected an operand, not '" + std::string(token.text) + "'");
  into.name = token.text;
  into.kind = token.text == "_" ? OperandKind::None : OperandKind::Symbol;
  into.declared = resolve(token.text);
  advance();
  // %tid.x
  if (token.kind == TokenKind::Dotted && into.name.starts_with("%")) {
    into.name = {into.name.data(),
                 static_cast<size_t>(token.text.data() + token.text.size() -
                                     into.name.data())};
    advance();
  }
  if (accept('+')) { // name+8 as a value
    int64_t offset = 0;
    if (!integer(offset))
      return false;
    into.value = static_cast<uint64_t>(offset);
  }
  if (accept('|'))
    return operand(into.elements.emplace_back());
  return true;
}
