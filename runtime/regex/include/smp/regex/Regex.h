// SPDX-License-Identifier: Apache-2.0
// Regular expressions of users: Perl's, as PCRE2 has them.

#ifndef SMP_REGEX_REGEX_H
#define SMP_REGEX_REGEX_H

#include "smp/base/Status.h"
#include <memory>
#include <string_view>

namespace smp {

/// Any thread may search.
class Regex {
public:
  /// InvalidArgument: "the regex 'a(' is malformed at byte 2: missing closing
  /// parenthesis".
  static StatusOr<Regex> compile(std::string_view pattern);

  /// Whether it is found anywhere in the text. ResourceExhausted when that
  /// takes more than a million steps, as (a+)+$ does with many texts.
  StatusOr<bool> isIn(std::string_view text) const;

private:
  struct Code;
  explicit Regex(std::shared_ptr<const Code> code);
  std::shared_ptr<const Code> code; // Copies have the same.
};

} // namespace smp

#endif // SMP_REGEX_REGEX_H
