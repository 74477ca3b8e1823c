// SPDX-License-Identifier: Apache-2.0
// Texts of meshes, layouts and slices: messages, lists and numbers. Not with
// operators of strings: there are many messages, and each would be much code.

#ifndef SMP_MODEL_LIB_LAYOUT_TEXT_H
#define SMP_MODEL_LIB_LAYOUT_TEXT_H

#include "../Problem.h"
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <vector>

/// A name of its own: who links the model may have functions of these names.
namespace smp::text {

/// Text, which is borrowed, or a number.
struct Piece {
  Piece(std::string_view text) : text(text) {}
  Piece(const std::string &text) : text(text) {}
  template <std::integral T>
    requires(!std::same_as<T, char>)
  Piece(T number) : number(int64_t(number)), isNumber(true) {}

  std::string_view text;
  int64_t number = 0;
  bool isNumber = false;
};

/// A message: `format` with a piece in place of each '%'. Long pieces are cut.
std::string say(std::string_view format, std::initializer_list<Piece> pieces);

/// What is between separators: one item more than there are separators.
std::vector<std::string_view> split(std::string_view text, char separator);
/// The whole text as a decimal number.
std::optional<int64_t> numberOf(std::string_view text);

/// Items with separators between them.
std::string joined(const std::vector<std::string> &items,
                   std::string_view separator);
std::string joined(const std::vector<int64_t> &items,
                   std::string_view separator);

} // namespace smp::text

#endif // SMP_MODEL_LIB_LAYOUT_TEXT_H
