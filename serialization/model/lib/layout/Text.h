// SPDX-License-Identifier: Apache-2.0
// Texts of meshes, layouts and slices: lists, numbers and quotations.

#ifndef SMP_MODEL_LIB_LAYOUT_TEXT_H
#define SMP_MODEL_LIB_LAYOUT_TEXT_H

#include "../Problem.h"
#include <charconv>
#include <cstdint>
#include <string_view>
#include <vector>

namespace smp {

/// What is between separators: one item more than there are separators.
inline std::vector<std::string_view> split(std::string_view text,
                                           char separator) {
  std::vector<std::string_view> items;
  for (size_t end; (end = text.find(separator)) != text.npos;) {
    items.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  items.push_back(text);
  return items;
}

/// The whole text as a decimal number.
inline std::optional<int64_t> numberOf(std::string_view text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value)
                                             : std::nullopt;
}

/// For messages: not longer than a line.
inline std::string shorten(std::string_view text) {
  constexpr size_t kMost = 72;
  return std::string(text.substr(0, kMost)) +
         (text.size() > kMost ? "..." : "");
}
inline std::string quote(std::string_view text) {
  return "'" + shorten(text) + "'";
}

inline std::string textOf(int64_t value) { return number(value); }
inline std::string textOf(const std::string &value) { return value; }

template <typename T>
std::string joined(const std::vector<T> &items, std::string_view separator) {
  std::string text;
  for (const T &item : items) {
    text += &item == items.data() ? "" : separator;
    text += textOf(item);
  }
  return text;
}

} // namespace smp

#endif // SMP_MODEL_LIB_LAYOUT_TEXT_H
