// SPDX-License-Identifier: Apache-2.0
#include "NpyHeader.h"

namespace smp {

namespace {
/// Reads "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }".
class Parser {
public:
  explicit Parser(std::string_view text) : text(text) {}

  StatusOr<NpyHeader> parse() {
    bool sound = take('{');
    while (sound && !take('}')) {
      sound = parseItem();
      if (sound && !take(',')) {
        sound = take('}');
        break;
      }
    }
    skipSpace();
    if (!sound || at != text.size())
      return dataLoss("its header is wrong at byte " + std::to_string(at));
    if (seen != kAll)
      return dataLoss("its header needs 'descr', 'fortran_order' and 'shape', "
                      "once each");
    return std::move(header);
  }

private:
  static constexpr int kDescr = 1, kOrder = 2, kShape = 4, kTwice = 8;
  static constexpr int kAll = kDescr | kOrder | kShape;

  void skipSpace() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n'))
      ++at;
  }

  bool take(char c) {
    skipSpace();
    if (at == text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }

  bool takeWord(std::string_view word) {
    skipSpace();
    if (text.substr(at, word.size()) != word)
      return false;
    at += word.size();
    return true;
  }

  bool parseString(std::string &value) {
    skipSpace();
    char quote = at < text.size() ? text[at] : '\0';
    size_t end = text.find(quote, at + 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos)
      return false;
    value = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return value.find('\\') == std::string::npos;
  }

  bool parseNumber(int64_t &value) {
    skipSpace();
    size_t begin = at;
    for (value = 0; at < text.size() && text[at] >= '0' && text[at] <= '9';
         ++at)
      if (__builtin_mul_overflow(value, int64_t(10), &value) ||
          __builtin_add_overflow(value, int64_t(text[at] - '0'), &value))
        return false;
    return at > begin;
  }

  /// "()", "(3,)", "(3, 4)"; a comma may end it.
  bool parseShape() {
    if (!take('('))
      return false;
    while (!take(')')) {
      int64_t size = 0;
      if (!parseNumber(size))
        return false;
      header.shape.push_back(size);
      if (!take(','))
        return take(')') && header.shape.size() > 1;
    }
    return true;
  }

  bool note(int key) {
    seen |= (seen & key) ? key | kTwice : key;
    return true;
  }

  bool parseItem() {
    std::string key;
    if (!parseString(key) || !take(':'))
      return false;
    if (key == "descr")
      return note(kDescr) && parseString(header.descriptor);
    if (key == "shape")
      return note(kShape) && parseShape();
    if (key != "fortran_order")
      return false;
    header.fortranOrder = takeWord("True");
    return note(kOrder) && (header.fortranOrder || takeWord("False"));
  }

  std::string_view text;
  size_t at = 0;
  int seen = 0;
  NpyHeader header;
};
} // namespace

StatusOr<NpyHeader> parseNpyHeader(std::string_view text) {
  return Parser(text).parse();
}

} // namespace smp
