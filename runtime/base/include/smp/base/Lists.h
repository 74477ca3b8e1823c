// SPDX-License-Identifier: Apache-2.0
// Lists in texts and messages.

#ifndef SMP_BASE_LISTS_H
#define SMP_BASE_LISTS_H

#include <concepts>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace smp {

/// Items with `separator` between them: join(cores, ", ") is "0, 1, 2". Of each
/// item it takes what `text` makes of it or, if that is a member, holds: a
/// string or an integer.
template <typename Range, typename Text = std::identity>
std::string join(const Range &items, std::string_view separator,
                 Text text = {}) {
  std::string list;
  bool isFirst = true;
  for (const auto &item : items) {
    if (!isFirst)
      list += separator;
    isFirst = false;
    const auto &made = std::invoke(text, item);
    if constexpr (std::integral<std::remove_cvref_t<decltype(made)>>)
      list += std::to_string(made);
    else
      list += made;
  }
  return list;
}

/// "'a', 'b', 'c'"; without any, "none".
template <typename Range, typename Name = std::identity>
std::string listNames(const Range &items, Name name = {}) {
  const std::string list = join(items, "', '", name);
  return std::empty(items) ? "none" : "'" + list + "'";
}

/// "a, b or c".
inline std::string listChoices(std::vector<std::string> names) {
  if (names.size() < 2)
    return join(names, "");
  const std::string last = std::move(names.back());
  names.pop_back();
  return join(names, ", ") + " or " + last;
}

} // namespace smp

#endif // SMP_BASE_LISTS_H
