// SPDX-License-Identifier: Apache-2.0
#include "Parameters.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <charconv>
#include <cmath>

namespace smp {

using Kind = JsonTree::Kind;

static std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n\f\v";
  const size_t first = text.find_first_not_of(kSpaces);
  if (first == text.npos)
    return {};
  return text.substr(first, text.find_last_not_of(kSpaces) - first + 1);
}

/// The value as messages show it.
static std::string describe(const JsonTree &value) {
  switch (value.kind) {
  case Kind::Null:
    return "null";
  case Kind::False:
    return "false";
  case Kind::True:
    return "true";
  case Kind::Whole:
    return std::to_string(value.whole);
  case Kind::Number: {
    char digits[32];
    const auto [end, code] =
        std::to_chars(digits, digits + sizeof(digits), value.number);
    return {digits, end};
  }
  case Kind::Text:
    return quote(value.parts->text);
  case Kind::List:
    return "a list";
  case Kind::Object:
    break;
  }
  return "an object";
}

static std::optional<int64_t> parseNumber(std::string_view text) {
  text = trimmed(text);
  if (text.starts_with('+') && !text.starts_with("+-"))
    text.remove_prefix(1);
  int64_t number = 0;
  const auto [end, code] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

StatusOr<Parameters> Parameters::of(const JsonTree *tree, std::string where) {
  if (tree && tree->kind == Kind::Null)
    tree = nullptr;
  if (tree && tree->kind != Kind::Object)
    return invalidArgument(where + " is " + describe(*tree) +
                           "; it must be an object");
  std::set<std::string_view> seen;
  if (tree)
    for (const std::string &key : tree->parts->names)
      if (!seen.insert(key).second)
        return invalidArgument(quote(key) + " is given twice in " + where +
                               "; leave one of them out");
  return Parameters(tree, std::move(where));
}

const JsonTree *Parameters::find(std::string_view key) {
  asked.emplace(key);
  return tree ? tree->find(key) : nullptr;
}

Status Parameters::wrong(std::string_view key, const std::string &what) const {
  return invalidArgument("'" + std::string(key) + "' in " + where + " " + what);
}

StatusOr<int64_t> Parameters::numberOf(std::string_view key,
                                       const JsonTree &value) const {
  constexpr double kMost = 9007199254740992; // Whole in a double.
  if (value.kind == Kind::Whole && value.whole <= INT64_MAX)
    return int64_t(value.whole);
  if (value.kind == Kind::Number && std::abs(value.number) <= kMost &&
      value.number == std::trunc(value.number))
    return int64_t(value.number);
  if (value.kind == Kind::Text)
    if (const auto number = parseNumber(value.parts->text))
      return *number;
  return wrong(key, "is " + describe(value) + "; it must be a whole number");
}

StatusOr<std::optional<int64_t>> Parameters::number(std::string_view key) {
  const JsonTree *value = find(key);
  if (!value)
    return std::optional<int64_t>();
  SMP_ASSIGN_OR_RETURN(const int64_t number, numberOf(key, *value));
  return std::optional(number);
}

StatusOr<std::optional<int64_t>> Parameters::number(std::string_view key,
                                                    int64_t ofNull) {
  const JsonTree *value = find(key);
  if (value && value->kind == Kind::Null)
    return std::optional(ofNull);
  return number(key);
}

StatusOr<std::optional<bool>> Parameters::boolean(std::string_view key) {
  const JsonTree *value = find(key);
  if (!value)
    return std::optional<bool>();
  const bool isText = value->kind == Kind::Text;
  const std::string text = isText ? value->parts->text : std::string();
  if (value->kind == Kind::True || text == "true" || text == "True")
    return std::optional(true);
  if (value->kind == Kind::False || text == "false" || text == "False")
    return std::optional(false);
  return wrong(key, "is " + describe(*value) + "; it must be true or false");
}

StatusOr<std::optional<std::string>> Parameters::text(std::string_view key) {
  const JsonTree *value = find(key);
  if (!value || value->kind == Kind::Null)
    return std::optional<std::string>();
  if (value->kind != Kind::Text)
    return wrong(key, "is " + describe(*value) + "; it must be a text");
  return std::optional(value->parts->text);
}

StatusOr<std::optional<std::vector<std::string>>>
Parameters::texts(std::string_view key) {
  const JsonTree *value = find(key);
  if (!value)
    return std::optional<std::vector<std::string>>();
  std::vector<std::string> list;
  if (value->kind == Kind::List) {
    for (const JsonTree &item : value->values()) {
      if (item.kind != Kind::Text)
        return wrong(key, "holds " + describe(item) + "; it must hold texts");
      list.push_back(item.parts->text);
    }
    return std::optional(std::move(list));
  }
  if (value->kind != Kind::Text)
    return wrong(key, "is " + describe(*value) +
                          "; it must be a text with commas, or a list");
  std::string_view rest = value->parts->text;
  while (!trimmed(rest).empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    list.emplace_back(trimmed(rest.substr(0, comma)));
    rest.remove_prefix(std::min(comma + 1, rest.size()));
  }
  return std::optional(std::move(list));
}

StatusOr<std::optional<std::vector<int64_t>>>
Parameters::numbers(std::string_view key) {
  const JsonTree *value = find(key);
  if (!value)
    return std::optional<std::vector<int64_t>>();
  std::vector<int64_t> list;
  if (value->kind == Kind::Text) {
    SMP_ASSIGN_OR_RETURN(const auto items, texts(key));
    for (const std::string &item : *items) {
      const auto number = parseNumber(item);
      if (!number)
        return wrong(key,
                     "holds " + quote(item) + "; it must hold whole numbers");
      list.push_back(*number);
    }
    return std::optional(std::move(list));
  }
  const bool isList = value->kind == Kind::List;
  for (const JsonTree &item : isList ? value->values() : std::span(value, 1)) {
    SMP_ASSIGN_OR_RETURN(const int64_t number, numberOf(key, item));
    list.push_back(number);
  }
  return std::optional(std::move(list));
}

Status Parameters::checkAllRead() const {
  if (tree)
    for (const std::string &key : tree->parts->names)
      if (!asked.contains(key))
        return invalidArgument(quote(key) + " in " + where +
                               " is unknown; there are " + listNames(asked));
  return Status();
}

} // namespace smp
