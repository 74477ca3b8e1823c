// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/VariableValues.h"
#include "SessionState.h"

namespace smp {

struct VariableValues::State {
  struct Item {
    uint32_t variable;
    size_t bytes;
    HostMemory memory;
  };
  std::vector<Item> items;
};

VariableValues::VariableValues(std::unique_ptr<State> state)
    : state(std::move(state)) {}
VariableValues::VariableValues(VariableValues &&) noexcept = default;
VariableValues &VariableValues::operator=(VariableValues &&) noexcept = default;
VariableValues::~VariableValues() = default;

StatusOr<VariableValues>
VariableValues::make(SessionCore &session, std::span<const std::string> names) {
  auto made = std::make_unique<State>();
  const Variables &variables = session.state->variables;
  for (const std::string &name : names) {
    SMP_ASSIGN_OR_RETURN(const uint32_t variable, variables.find(name));
    State::Item item{variable, size_t(variables.bytesOf(variable)), {}};
    SMP_RETURN_IF_ERROR(item.memory.reserve(item.bytes));
    made->items.push_back(std::move(item));
  }
  return VariableValues(std::move(made));
}

std::span<std::byte> VariableValues::bytes(size_t i) {
  return {state->items[i].memory.data(), state->items[i].bytes};
}

void VariableValues::give(Variables &variables) {
  for (State::Item &item : state->items)
    variables.take(item.variable, std::move(item.memory));
  state->items.clear();
}

} // namespace smp
