// SPDX-License-Identifier: Apache-2.0
// Regexes that users write: wrong ones are named, endless ones end.

#ifndef SMP_CAPTURE_REGEX_H
#define SMP_CAPTURE_REGEX_H

#include "smp/base/Status.h"
#include <memory>
#include <string>
#include <string_view>

namespace smp {

/// A regex of PCRE2, over UTF-8. Copies share what was compiled; any thread may
/// search.
class Regex {
public:
  static StatusOr<Regex> compile(std::string_view pattern);

  /// Whether it is found anywhere in the text. Fails where that takes too many
  /// attempts.
  StatusOr<bool> isIn(std::string_view text) const;

private:
  Regex(std::shared_ptr<const void> code, std::string_view pattern)
      : code(std::move(code)), pattern(pattern) {}
  std::shared_ptr<const void> code; ///< A pcre2_code.
  std::string pattern;
};

} // namespace smp

#endif // SMP_CAPTURE_REGEX_H
