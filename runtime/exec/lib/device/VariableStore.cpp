// SPDX-License-Identifier: Apache-2.0
#include "VariableStore.h"

namespace smp {

StatusOr<std::span<const std::byte>> VariableStore::value(uint32_t variable) {
  if (!own[variable].empty())
    return std::span<const std::byte>(own[variable]);
  return source->initialValue(variable);
}

void VariableStore::set(uint32_t variable, std::span<const std::byte> bytes) {
  own[variable].assign(bytes.begin(), bytes.end());
}

void VariableStore::drop(uint32_t variable) {
  std::vector<std::byte>().swap(own[variable]);
}

} // namespace smp
