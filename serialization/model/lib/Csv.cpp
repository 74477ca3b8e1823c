// SPDX-License-Identifier: Apache-2.0
#include "Csv.h"
#include "Problem.h"
#include <algorithm>

namespace smp {

namespace {
class CsvReader {
public:
  explicit CsvReader(std::string_view text) : left(text) {
    constexpr std::string_view kMark = "\xEF\xBB\xBF";
    if (left.starts_with(kMark))
      left.remove_prefix(kMark.size());
  }

  Expected<std::vector<CsvLine>> read() {
    std::vector<CsvLine> lines;
    while (!left.empty()) {
      CsvLine line{number, {}};
      do {
        line.fields.emplace_back();
        if (Problem problem = readField(line.fields.back()))
          return Failure{"line " + smp::number(line.number) + ", column " +
                         smp::number(line.fields.size()) + ": " + *problem};
      } while (take(','));
      endLine();
      if (std::any_of(line.fields.begin(), line.fields.end(),
                      [](const std::string &field) { return !field.empty(); }))
        lines.push_back(std::move(line));
    }
    return lines;
  }

private:
  bool take(char c) {
    if (left.empty() || left.front() != c)
      return false;
    left.remove_prefix(1);
    return true;
  }

  void endLine() {
    take('\r');
    take('\n');
    ++number;
  }

  void skipSpaces() {
    while (take(' ') || take('\t'))
      continue;
  }

  /// What is before the next comma or end of the line.
  Problem readField(std::string &field) {
    skipSpaces();
    if (take('"'))
      return readQuoted(field);
    field = left.substr(0, left.find_first_of(",\r\n"));
    left.remove_prefix(field.size());
    field.erase(field.find_last_not_of(" \t") + 1);
    return std::nullopt;
  }

  /// Two quotes are one of the field.
  Problem readQuoted(std::string &field) {
    for (;;) {
      const size_t end = left.find('"');
      if (end == std::string_view::npos)
        return "a quote is not closed; write \" at the end of the field";
      for (char c : left.substr(0, end))
        number += c == '\n';
      field += left.substr(0, end);
      left.remove_prefix(end + 1);
      if (!take('"'))
        break;
      field += '"';
    }
    skipSpaces();
    if (left.empty() ||
        std::string_view(",\r\n").find(left.front()) != std::string_view::npos)
      return std::nullopt;
    return "something follows the quotes of " + field +
           "; write a quote inside them twice";
  }

  std::string_view left;
  uint32_t number = 1;
};
} // namespace

Expected<std::vector<CsvLine>> readCsv(std::string_view text) {
  return CsvReader(text).read();
}

std::string csvField(std::string_view value) {
  const bool isPlain =
      value.find_first_of(",\"\r\n") == std::string_view::npos &&
      (value.empty() || (value.front() != ' ' && value.back() != ' ' &&
                         value.front() != '\t' && value.back() != '\t'));
  if (isPlain)
    return std::string(value);
  std::string quoted = "\"";
  for (char c : value)
    quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + '"';
}

} // namespace smp
