// SPDX-License-Identifier: Apache-2.0
#include "Verdict.h"
#include <charconv>

namespace smp {

/// "12:tensor and text": how many bytes there are, and they.
static void append(std::string &text, std::string_view bytes) {
  text += std::to_string(bytes.size()) + ":";
  text += bytes;
}

/// "3+" begins that of the fourth rule, which found something: a tensor and a
/// text follow; "3-" is that of one which did not.
std::string encode(std::span<const Verdict> verdicts) {
  std::string text;
  for (const Verdict &verdict : verdicts) {
    text += std::to_string(verdict.rule) + (verdict.finding ? "+" : "-");
    if (verdict.finding) {
      append(text, verdict.finding->tensor);
      append(text, verdict.finding->text);
    }
  }
  return text;
}

/// Takes a number off, and what it ends with: one of `ends`.
static std::optional<size_t> takeNumber(std::string_view &text,
                                        std::string_view ends, char &end) {
  size_t number = 0;
  const auto [after, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || after == text.data() + text.size() ||
      ends.find(*after) == ends.npos)
    return std::nullopt;
  end = *after;
  text.remove_prefix(size_t(after - text.data()) + 1);
  return number;
}

static bool takeBytes(std::string_view &text, std::string &bytes) {
  char end;
  const auto size = takeNumber(text, ":", end);
  if (!size || *size > text.size())
    return false;
  bytes = text.substr(0, *size);
  text.remove_prefix(*size);
  return true;
}

StatusOr<std::vector<Verdict>> decodeVerdicts(std::string_view text,
                                              size_t numRules) {
  const Status wrong = dataLoss("what a rank told of its rules is damaged");
  std::vector<Verdict> verdicts;
  while (!text.empty()) {
    char end;
    const auto rule = takeNumber(text, "+-", end);
    if (!rule || *rule >= numRules)
      return wrong;
    Verdict &verdict = verdicts.emplace_back(Verdict{*rule});
    if (end == '-')
      continue;
    Finding &finding = verdict.finding.emplace();
    if (!takeBytes(text, finding.tensor) || !takeBytes(text, finding.text))
      return wrong;
  }
  return verdicts;
}

} // namespace smp
