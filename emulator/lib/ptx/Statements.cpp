// SPDX-License-Identifier: Apache-2.0
// The body of a function.
#include "Parser.h"

using namespace smp::emulator;

int32_t Parser::resolve(std::string_view name) const {
  for (size_t level = scopes.size(); level-- > 0;)
    if (const auto found = scopes[level].find(name);
        found != scopes[level].end())
      return found->second;
  return -1;
}

bool Parser::body() {
  for (size_t depth = scopes.size();;) {
    if (token.is('{')) {
      advance();
      scopes.emplace_back();
    } else if (token.is('}')) {
      advance();
      if (scopes.size() == depth)
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
  BranchTargets targets{name, {}};
  do {
    advance();
    targets.labels.push_back(token.text);
    advance();
  } while (token.is(','));
  current->targets.push_back(std::move(targets));
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
  const auto found = files.find(file);
  std::string where =
      (found == files.end() ? "file " + std::to_string(file) : found->second) +
      ":" + std::to_string(line);
  if (module.locations.back() != where)
    module.locations.push_back(std::move(where));
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
