// SPDX-License-Identifier: Apache-2.0
// What is kept of tensors of the last steps.

#ifndef SMP_RULES_TENSORHISTORY_H
#define SMP_RULES_TENSORHISTORY_H

#include "smp/rules/RuleSource.h"
#include <array>
#include <deque>
#include <map>

namespace smp {

/// By tensor and mode the last items, newest first. An Item has `step`.
template <typename Item>
class TensorHistory {
public:
  /// Keeps `depth` items of each.
  explicit TensorHistory(size_t depth) : depth(depth) {}

  Item &push(const std::string &tensor, Item item) {
    auto &items = all[size_t(item.step.mode) - 1][tensor];
    items.push_front(std::move(item));
    if (items.size() > depth)
      items.pop_back();
    return items.front();
  }
  /// Null where there are not so many.
  const Item *find(std::string_view tensor, Mode mode, size_t back) const {
    const auto *items = findAll(tensor, mode);
    return items && back < items->size() ? &(*items)[back] : nullptr;
  }
  std::vector<RuleStep> stepsOf(std::string_view tensor, Mode mode) const {
    std::vector<RuleStep> steps;
    if (const auto *items = findAll(tensor, mode))
      for (const Item &item : *items)
        steps.push_back(item.step);
    return steps;
  }

private:
  const std::deque<Item> *findAll(std::string_view tensor, Mode mode) const {
    const auto &ofMode = all[size_t(mode) - 1];
    const auto found = ofMode.find(tensor);
    return found == ofMode.end() ? nullptr : &found->second;
  }

  const size_t depth;
  std::array<std::map<std::string, std::deque<Item>, std::less<>>, kNumModes>
      all;
};

} // namespace smp

#endif // SMP_RULES_TENSORHISTORY_H
