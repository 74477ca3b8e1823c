// SPDX-License-Identifier: Apache-2.0
#include "Mutation.h"
#include <random>
#include <utility>
#include <vector>

namespace smp {

using Span = std::pair<size_t, size_t>; // Begin and end.

/// Of the values that have no other in them, and of the innermost lists and
/// objects.
static std::vector<Span> valuesIn(const std::string &text) {
  std::vector<Span> values;
  size_t opened = text.npos;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '[' || c == '{') {
      opened = i;
    } else if ((c == ']' || c == '}') && opened != text.npos) {
      values.push_back({opened, i + 1});
      opened = text.npos;
    } else if (c == '"') {
      const size_t end = text.find('"', i + 1);
      if (end == text.npos)
        break;
      values.push_back({i, end + 1});
      i = end;
    } else if (c >= '0' && c <= '9') {
      const size_t end =
          std::min(text.find_first_not_of("0123456789", i), text.size());
      values.push_back({i, end});
      i = end - 1;
    }
  }
  return values;
}

void mutateJson(std::string &text, size_t most, unsigned seed) {
  static constexpr const char *kNumbers[] = {
      "0",  "1",       "2",          "3",          "7",
      "64", "1048576", "2147483648", "4294967295", "9223372036854775807"};
  std::minstd_rand random(seed);
  const std::vector<Span> values = valuesIn(text);
  if (values.empty() || random() % 4 == 0)
    return mutate(text, most);
  auto any = [&] { return values[random() % values.size()]; };
  const auto [begin, end] = any();
  std::string put;
  switch (random() % 3) {
  case 0:
    put = kNumbers[random() % std::size(kNumbers)];
    break;
  case 1: {
    const auto [from, to] = any();
    put = text.substr(from, to - from);
    break;
  }
  default:
    put =
        text.substr(begin, end - begin) + "," + text.substr(begin, end - begin);
  }
  text.replace(begin, end - begin, put);
}

} // namespace smp
