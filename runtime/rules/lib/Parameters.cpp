// SPDX-License-Identifier: Apache-2.0
#include "Parameters.h"
#include "Texts.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"
#include <charconv>
#include <cmath>

namespace smp {

StatusOr<RuleChoice> RuleChoice::parse(std::string_view text) {
  const auto next = [&] {
    const size_t comma = std::min(text.find(','), text.size());
    const std::string piece(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
    return piece;
  };
  const std::string whole(text);
  RuleChoice choice{next()};
  std::string *last = nullptr;
  while (!text.empty()) {
    const std::string piece = next();
    const size_t equals = piece.find('=');
    if (equals == piece.npos) {
      if (!last)
        return invalidArgument("the rule " + quote(whole) + " has " +
                               quote(piece) + " where NAME=VALUE belongs");
      *last += "," + piece;
      continue;
    }
    const auto [at, isNew] = choice.parameters.emplace(
        piece.substr(0, equals), piece.substr(equals + 1));
    if (!isNew)
      return invalidArgument("the rule " + quote(whole) +
                             " has the parameter " + quote(at->first) +
                             " twice");
    last = &at->second;
  }
  return choice;
}

const std::string *Parameters::find(const std::string &name) {
  known.push_back(name);
  const auto found = choice.parameters.find(name);
  return found == choice.parameters.end() ? nullptr : &found->second;
}

void Parameters::refuse(const std::string &name, const std::string &wanted) {
  fail(invalidArgument("the parameter " + quote(name) + " of " + choice.name +
                       " is " + quote(choice.parameters.at(name)) +
                       "; it must be " + wanted));
}

std::optional<double> Parameters::numberIfSaid(const std::string &name) {
  const std::string *text = find(name);
  if (!text)
    return std::nullopt;
  double number = 0;
  const char *end = text->data() + text->size();
  const auto [at, problem] = std::from_chars(text->data(), end, number);
  if (at != end || problem != std::errc() || !std::isfinite(number))
    refuse(name, "a number");
  return number;
}

double Parameters::number(const std::string &name, double fallback,
                          double least) {
  const auto said = numberIfSaid(name);
  if (said && *said < least)
    refuse(name, "a number of " + figure(least) + " or more");
  return said.value_or(fallback);
}

int64_t Parameters::integer(const std::string &name, int64_t fallback,
                            int64_t least, int64_t most) {
  const std::string *text = find(name);
  if (!text)
    return fallback;
  int64_t number = 0;
  const char *end = text->data() + text->size();
  const auto [at, problem] = std::from_chars(text->data(), end, number);
  if (at != end || problem != std::errc() || number < least || number > most)
    refuse(name, "a whole number from " + std::to_string(least) + " to " +
                     std::to_string(most));
  return number;
}

uint64_t Parameters::count(const std::string &name, uint64_t fallback) {
  return uint64_t(integer(name, int64_t(fallback), 1, 1000000000));
}

bool Parameters::flag(const std::string &name, bool fallback) {
  const std::string *text = find(name);
  if (!text)
    return fallback;
  if (*text != "true" && *text != "false")
    refuse(name, "true or false");
  return *text == "true";
}

std::vector<std::string> Parameters::list(const std::string &name,
                                          std::vector<std::string> fallback) {
  const std::string *text = find(name);
  if (!text)
    return fallback;
  std::vector<std::string> items(1);
  for (const char c : *text)
    if (c == ',')
      items.emplace_back();
    else
      items.back() += c;
  if (std::ranges::count(items, std::string()) > 0)
    refuse(name, "names with commas between them");
  return items;
}

std::optional<Regex> Parameters::regex(const std::string &name,
                                       std::string_view fallback) {
  const std::string *text = find(name);
  if (!text && fallback.empty())
    return std::nullopt;
  auto regex = Regex::compile(text ? *text : fallback);
  if (!regex.ok()) {
    fail(regex.status().in("the parameter " + quote(name) + " of " +
                           choice.name));
    return std::nullopt;
  }
  return regex.take();
}

Status Parameters::status() const {
  SMP_RETURN_IF_ERROR(error);
  for (const auto &[name, value] : choice.parameters)
    if (std::ranges::find(known, name) == known.end())
      return invalidArgument(
          choice.name + " has no parameter " + quote(name) +
          (known.empty() ? "; it has none" : "; it has " + join(known, ", ")));
  return Status();
}

} // namespace smp
