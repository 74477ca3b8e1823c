// SPDX-License-Identifier: Apache-2.0
#include "smp/ir/WeightStore.h"
#include <algorithm>

namespace smp::ir {

static bool fits(const Weight &weight) {
  std::optional<int64_t> bytes = checkedBytes(weight.type);
  return bytes && uint64_t(*bytes) == weight.bytes.size();
}

bool WeightStore::add(std::string name, Weight weight) {
  return fits(weight) &&
         weights.try_emplace(std::move(name), std::move(weight)).second;
}

bool WeightStore::set(std::string name, Weight weight) {
  if (!fits(weight))
    return false;
  weights[std::move(name)] = std::move(weight);
  return true;
}

void WeightStore::share(const WeightStore &other) {
  for (auto &[name, weight] : weights)
    if (const Weight *same = other.find(name);
        same && same->type == weight.type &&
        std::ranges::equal(same->bytes, weight.bytes))
      weight = *same;
}

const Weight *WeightStore::find(std::string_view name) const {
  auto it = weights.find(name);
  return it == weights.end() ? nullptr : &it->second;
}

int64_t WeightStore::totalBytes() const {
  int64_t total = 0;
  for (const auto &[name, weight] : weights)
    total += int64_t(weight.bytes.size());
  return total;
}

Weight makeOwnedWeight(TensorType type, std::span<const std::byte> bytes) {
  auto copy =
      std::make_shared<std::vector<std::byte>>(bytes.begin(), bytes.end());
  std::span<const std::byte> view(*copy);
  return {std::move(type), view, std::move(copy)};
}

} // namespace smp::ir
