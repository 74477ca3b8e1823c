// SPDX-License-Identifier: Apache-2.0
#include "Text.h"
#include <charconv>

namespace smp::text {

/// So many characters of a piece are in a message.
static constexpr size_t kMost = 120;

static void append(std::string &message, const Piece &piece) {
  if (piece.isNumber)
    message += std::to_string(piece.number);
  message += piece.text.substr(0, kMost);
  if (piece.text.size() > kMost)
    message += "...";
}

std::string say(std::string_view format, std::initializer_list<Piece> pieces) {
  std::string message;
  const Piece *next = pieces.begin();
  for (char c : format)
    if (c == '%')
      append(message, *next++);
    else
      message += c;
  return message;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> items;
  for (size_t end; (end = text.find(separator)) != text.npos;) {
    items.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  items.push_back(text);
  return items;
}

std::optional<int64_t> numberOf(std::string_view text) {
  int64_t value = 0;
  const char *end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? std::optional(value)
                                             : std::nullopt;
}

std::string joined(const std::vector<std::string> &items,
                   std::string_view separator) {
  std::string list;
  for (const std::string &item : items) {
    if (&item != items.data())
      list += separator;
    list += item;
  }
  return list;
}

std::string joined(const std::vector<int64_t> &items,
                   std::string_view separator) {
  std::vector<std::string> texts;
  for (int64_t item : items)
    texts.push_back(number(item));
  return joined(texts, separator);
}

} // namespace smp::text
