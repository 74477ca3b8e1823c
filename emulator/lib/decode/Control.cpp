// SPDX-License-Identifier: Apache-2.0
// Branches, calls, barriers, and what the lanes of a warp do together.
#include "../execute/Collectives.h"
#include "../execute/Moves.h"
#include "Decoder.h"
#include <algorithm>

using namespace smp::emulator;

bool Decoder::decodeControl(bool &found) {
  const std::string_view opcode = statement->opcode;
  found = true;
  if (opcode == "bra")
    return decodeBranch();
  if (opcode == "brx")
    return decodeIndexedBranch();
  if (opcode == "call")
    return decodeCall();
  if (opcode == "ret")
    return decodeReturn();
  if (opcode == "exit" || opcode == "trap") {
    emit(nullptr).flow = opcode == "exit" ? Flow::Exit : Flow::Trap;
    return true;
  }
  if ((opcode == "bar" || opcode == "barrier") &&
      !(statement->modifiers.size() && statement->modifiers[0] == "warp"))
    return decodeBarrier();
  if (name() == "activemask.b32") {
    Ref to;
    if (statement->operands.size() != 1 ||
        !registerOf(statement->operands[0], 'w', to))
      return fail("expected one register");
    emit(activeMaskHandler()).ops[0] = to;
    return true;
  }
  if (name() == "nanosleep.u32") {
    emit(nothingHandler());
    return true;
  }
  found = false;
  return true;
}

bool Decoder::decodeBranch() {
  if (statement->operands.size() != 1 ||
      (!statement->modifiers.empty() && name() != "bra.uni"))
    return fail("unknown instruction '" + name() + "'");
  frame->branches.emplace_back(program->code.size(),
                               statement->operands[0].name);
  emit(nullptr).flow = Flow::Branch;
  return true;
}

bool Decoder::decodeIndexedBranch() {
  if (statement->operands.size() != 2 ||
      (name() != "brx.idx" && name() != "brx.idx.uni"))
    return fail("unknown instruction '" + name() + "'");
  const std::string_view name = statement->operands[1].name;
  if (!frame->function->targets.count(name))
    return fail("no .branchtargets '" + std::string(name) + "'");
  Ref index;
  if (!source(statement->operands[0], 'w', index))
    return false;
  Instruction &to = emit(nullptr);
  to.flow = Flow::BranchIndexed;
  to.ops[0] = index;
  const auto next = static_cast<uint32_t>(program->tables.size());
  const auto [table, fresh] = frame->tables.emplace(name, next);
  if (fresh)
    program->tables.emplace_back();
  to.target = table->second;
  return true;
}

bool Decoder::decodeReturn() {
  if (frame->isKernel) {
    emit(nullptr).flow = Flow::Exit;
    return true;
  }
  frame->returns.push_back(static_cast<uint32_t>(program->code.size()));
  emit(nullptr).flow = Flow::Branch;
  return true;
}

// call (result), name, (arguments): the function's code with the caller's
// memory for its parameters.
bool Decoder::decodeCall() {
  const Function *called = nullptr;
  std::vector<const SourceOperand *> lists[2]; // Before and behind the name.
  for (const SourceOperand &operand : statement->operands) {
    if (operand.kind == OperandKind::Elements) {
      for (const SourceOperand &element : operand.elements)
        lists[called != nullptr].push_back(&element);
    } else if (!called) {
      called = find(operand.name);
      if (!called)
        return fail("no function '" + std::string(operand.name) +
                    "' with a body");
    }
  }
  if (!called)
    return fail("a call of no function");
  if (std::find(calls.begin(), calls.end(), called) != calls.end())
    return fail("'" + called->name +
                "' calls itself: memory of a call is planned before the "
                "launch; make it a loop");
  Frame inner;
  inner.function = called;
  const std::vector<int32_t> *formals[2] = {&called->results,
                                            &called->parameters};
  for (int list = 0; list < 2; ++list) {
    if (lists[list].size() != formals[list]->size())
      return fail("'" + called->name + "' has " +
                  std::to_string(formals[list]->size()) +
                  (list ? " parameters" : " results"));
    for (size_t i = 0; i < lists[list].size(); ++i) {
      const Declared *actual = declaredOf(*lists[list][i]);
      if (!actual || actual->space != Space::Param)
        return fail("an argument that is no .param");
      uint64_t at = 0;
      Space space;
      if (!variable(*lists[list][i], at, space))
        return false;
      inner.places[(*formals[list])[i]] = at;
    }
  }
  // Lanes that the guard excludes jump over all of it.
  size_t over = 0;
  if (statement->guarded) {
    over = program->code.size() + 1;
    Instruction &skip = emit(nullptr);
    skip.flow = Flow::Branch;
    skip.negated = !skip.negated;
  }
  if (!decodeFunction(inner))
    return false;
  if (over)
    program->code[over - 1].target =
        static_cast<uint32_t>(program->code.size());
  return true;
}

bool Decoder::decodeBarrier() {
  auto modifiers = statement->modifiers;
  const bool aligned = statement->opcode == "bar" ||
                       std::erase(modifiers, std::string_view("aligned")) > 0;
  std::erase(modifiers, std::string_view("cta"));
  const auto &given = statement->operands;
  const bool arrives = modifiers == std::vector<std::string_view>{"arrive"};
  if ((!arrives && modifiers != std::vector<std::string_view>{"sync"}) ||
      given.empty() || given.size() > 2 || (arrives && given.size() != 2))
    return fail("unknown instruction '" + name() + "'");
  Ref barrier, threads = constant('w', 0);
  if (!source(given[0], 'w', barrier) ||
      (given.size() == 2 && !source(given[1], 'w', threads)))
    return false;
  Instruction &to = emit(nullptr);
  to.flow = Flow::Barrier;
  to.ops[0] = barrier;
  to.ops[1] = threads;
  to.aligned = aligned;
  to.arrives = arrives;
  return true;
}

bool Decoder::decodeCollective(bool &found) {
  const auto one = collectives().find(name());
  found = one != collectives().end();
  if (!found)
    return true;
  const auto &given = statement->operands;
  Instruction made;
  if (given.empty() || !source(given.back(), 'w', made.members))
    return fail("expected a mask of lanes");
  if (!operands(one->second.operands, made, given.size() - 1))
    return false;
  Instruction &to = emit(one->second.handler);
  to.flow = Flow::WarpSync;
  to.ops = made.ops;
  to.second = made.second;
  to.members = made.members;
  return true;
}
