// SPDX-License-Identifier: Apache-2.0
#include "smp/serialization/CheckpointState.h"
#include "Where.h"
#include <algorithm>
#include <charconv>
#include <cmath>

namespace smp {

bool isPlainFileName(std::string_view name) {
  if (name.empty() || name == "." || name == "..")
    return false;
  return std::none_of(name.begin(), name.end(), [](char c) {
    return c == '/' || static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {

bool isWordPart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

int digitOf(char c, int base) {
  int digit = c >= '0' && c <= '9'   ? c - '0'
              : c >= 'a' && c <= 'f' ? c - 'a' + 10
              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                     : base;
  return digit < base ? digit : -1;
}

/// Reads `field: value` pairs; what the fields mean is the caller's matter.
class TextReader {
public:
  explicit TextReader(std::string_view text) : rest(text) {}

  bool atEnd() {
    skipSpace();
    return rest.empty();
  }

  /// The name before a colon, and the colon.
  StatusOr<std::string> field() {
    size_t length = 0;
    while (length < rest.size() && isWordPart(rest[length]))
      ++length;
    std::string name(take(length));
    skipSpace();
    if (name.empty() || rest.empty() || rest.front() != ':')
      return error("a field's name and ':' are wanted");
    take(1);
    skipSpace();
    return name;
  }

  /// A quoted text, or several that are to be joined.
  StatusOr<std::string> text() {
    if (rest.empty() || (rest.front() != '"' && rest.front() != '\''))
      return error("a text in quotes is wanted");
    std::string value;
    valueLine = line;
    while (!rest.empty() && (rest.front() == '"' || rest.front() == '\'')) {
      SMP_RETURN_IF_ERROR(quoted(value));
      skipSpace();
    }
    return value;
  }

  StatusOr<double> number() {
    double value = 0;
    auto [end, code] =
        std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (code != std::errc() || !std::isfinite(value))
      return error("a number is wanted");
    take(size_t(end - rest.data()));
    return value;
  }

  Status error(const std::string &what) const { return errorAt(line, what); }
  /// Of the last text that was read.
  Status wrongText(const std::string &what) const {
    return errorAt(valueLine, what);
  }

private:
  static Status errorAt(size_t line, const std::string &what) {
    return dataLoss("line " + std::to_string(line) + ": " + what);
  }

  void skipSpace() {
    while (!rest.empty()) {
      if (rest.front() == '#')
        take(std::min(rest.find('\n'), rest.size()));
      else if (std::string_view(" \t\r\n,;").find(rest.front()) != rest.npos)
        take(1);
      else
        return;
    }
  }

  std::string_view take(size_t length) {
    std::string_view taken = rest.substr(0, length);
    rest.remove_prefix(taken.size());
    line += size_t(std::count(taken.begin(), taken.end(), '\n'));
    return taken;
  }

  Status quoted(std::string &value) {
    const char quote = take(1).front();
    while (!rest.empty() && rest.front() != quote && rest.front() != '\n') {
      const char c = take(1).front();
      if (c != '\\')
        value += c;
      else
        SMP_RETURN_IF_ERROR(escaped(value));
    }
    if (rest.empty() || rest.front() != quote)
      return error("the text has no closing quote");
    take(1);
    return Status();
  }

  /// What stands after a backslash.
  Status escaped(std::string &value) {
    static constexpr std::string_view kLetters = "abfnrtv\\'\"?",
                                      kMeanings = "\a\b\f\n\r\t\v\\'\"?";
    if (rest.empty())
      return error("the text ends in a backslash");
    if (size_t at = kLetters.find(rest.front()); at != kLetters.npos) {
      take(1);
      value += kMeanings[at];
      return Status();
    }
    const bool isHex = rest.front() == 'x';
    if (isHex)
      take(1);
    const int base = isHex ? 16 : 8;
    const size_t most = isHex ? 2 : 3;
    int number = 0;
    size_t digits = 0;
    for (; digits < most && !rest.empty() && digitOf(rest.front(), base) >= 0;
         ++digits)
      number = number * base + digitOf(take(1).front(), base);
    if (digits == 0 || number > 255)
      return error("an unknown escape stands after a backslash");
    value += char(number);
    return Status();
  }

  std::string_view rest;
  size_t line = 1, valueLine = 1;
};

Status readName(TextReader &reader, std::string &name) {
  SMP_ASSIGN_OR_RETURN(std::string text, reader.text());
  if (!isPlainFileName(text))
    return reader.wrongText(
        quote(text) + " names nothing in this folder; a checkpoint is named "
                      "without '/', as in \"ckpt-1\"");
  name = std::move(text);
  return Status();
}

Status readTime(TextReader &reader, double &time) {
  SMP_ASSIGN_OR_RETURN(time, reader.number());
  return Status();
}

Status readField(TextReader &reader, const std::string &field,
                 CheckpointState &state) {
  if (field == "model_checkpoint_path")
    return state.latest.empty()
               ? readName(reader, state.latest)
               : reader.error("model_checkpoint_path is there twice");
  if (field == "all_model_checkpoint_paths")
    return readName(reader, state.all.emplace_back());
  if (field == "all_model_checkpoint_timestamps")
    return readTime(reader, state.timestamps.emplace_back());
  if (field == "last_preserved_timestamp")
    return readTime(reader, state.lastPreserved);
  return reader.error("the field " + quote(field) + " is unknown");
}

} // namespace

StatusOr<CheckpointState> parseCheckpointState(std::string_view text) {
  TextReader reader(text);
  CheckpointState state;
  while (!reader.atEnd()) {
    SMP_ASSIGN_OR_RETURN(std::string field, reader.field());
    SMP_RETURN_IF_ERROR(readField(reader, field, state));
  }
  if (state.latest.empty())
    return dataLoss("there is no model_checkpoint_path");
  if (!state.timestamps.empty() && state.timestamps.size() != state.all.size())
    return dataLoss("there are " + std::to_string(state.timestamps.size()) +
                    " timestamps for " + std::to_string(state.all.size()) +
                    " checkpoints; there must be one for each, or none");
  return state;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// In quotes, with what is not printable ASCII as octal numbers.
static std::string literal(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '\'') {
      result += '\\';
      result += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      result += '\\';
      for (int shift : {6, 3, 0})
        result += char('0' + ((byte >> shift) & 7));
    } else {
      result += c;
    }
  }
  return result + '"';
}

static std::string timeText(double time) {
  char digits[400];
  auto [end, code] = std::to_chars(digits, digits + sizeof(digits), time,
                                   std::chars_format::fixed);
  std::string text(digits, end);
  return text.find('.') == text.npos ? text + ".0" : text;
}

std::string formatCheckpointState(const CheckpointState &state) {
  std::string text = "model_checkpoint_path: " + literal(state.latest) + "\n";
  for (const std::string &name : state.all)
    text += "all_model_checkpoint_paths: " + literal(name) + "\n";
  for (double time : state.timestamps)
    text += "all_model_checkpoint_timestamps: " + timeText(time) + "\n";
  return text + "last_preserved_timestamp: " + timeText(state.lastPreserved) +
         "\n";
}

} // namespace smp
