// SPDX-License-Identifier: Apache-2.0
#include "VariableStore.h"
#include <algorithm>

namespace smp {

StatusOr<std::span<const std::byte>> VariableStore::value(uint32_t variable) {
  if (const std::byte *value = own[variable].data())
    return std::span(value, size_t(program().variables[variable].type.bytes()));
  return source->initialValue(variable);
}

Status VariableStore::set(uint32_t variable, std::span<const std::byte> bytes) {
  SMP_RETURN_IF_ERROR(own[variable].reserve(bytes.size()));
  everSet[variable] = true;
  std::copy(bytes.begin(), bytes.end(), own[variable].data());
  return Status();
}

void VariableStore::take(uint32_t variable, HostMemory value) {
  own[variable] = std::move(value);
  everSet[variable] = true;
}

void VariableStore::drop(uint32_t variable) { own[variable] = HostMemory(); }

} // namespace smp
