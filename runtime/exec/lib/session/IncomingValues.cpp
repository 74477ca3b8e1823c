// SPDX-License-Identifier: Apache-2.0
#include "smp/exec/IncomingValues.h"
#include "SessionState.h"

namespace smp {

struct IncomingValues::State {
  struct Item {
    uint32_t variable;
    size_t bytes;
    HostMemory memory;
  };
  std::vector<Item> items;
};

IncomingValues::IncomingValues(std::unique_ptr<State> state)
    : state(std::move(state)) {}
IncomingValues::IncomingValues(IncomingValues &&) noexcept = default;
IncomingValues &IncomingValues::operator=(IncomingValues &&) noexcept = default;
IncomingValues::~IncomingValues() = default;

StatusOr<IncomingValues>
IncomingValues::make(SessionCore &session, std::span<const std::string> names) {
  auto made = std::make_unique<State>();
  const Variables &variables = session.state->variables;
  for (const std::string &name : names) {
    SMP_ASSIGN_OR_RETURN(const uint32_t variable, variables.find(name));
    State::Item item{variable, size_t(variables.bytesOf(variable)), {}};
    SMP_RETURN_IF_ERROR(item.memory.reserve(item.bytes));
    made->items.push_back(std::move(item));
  }
  return IncomingValues(std::move(made));
}

std::span<std::byte> IncomingValues::bytes(size_t i) {
  return {state->items[i].memory.data(), state->items[i].bytes};
}

void IncomingValues::give(Variables &variables) {
  for (State::Item &item : state->items)
    variables.take(item.variable, std::move(item.memory));
  state->items.clear();
}

} // namespace smp
