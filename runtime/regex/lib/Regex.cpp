// SPDX-License-Identifier: Apache-2.0
#include "smp/regex/Regex.h"
#include "smp/base/Quote.h"
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace smp {

static constexpr size_t kMaxBytes = 10000; // Of a pattern.
static constexpr uint32_t kMaxSteps = 1000000, kMaxDepth = 1000,
                          kMaxHeapKiB = 1024;

template <auto Free>
struct Freeing {
  template <typename T>
  void operator()(T *held) const {
    Free(held);
  }
};

struct Regex::Code {
  std::unique_ptr<pcre2_code, Freeing<pcre2_code_free>> compiled;
  std::unique_ptr<pcre2_match_context, Freeing<pcre2_match_context_free>>
      limits;
  std::string pattern;
};

Regex::Regex(std::shared_ptr<const Code> code) : code(std::move(code)) {}

static std::string messageOf(int error) {
  char text[256];
  pcre2_get_error_message(error, reinterpret_cast<PCRE2_UCHAR *>(text),
                          sizeof(text));
  return text;
}

static PCRE2_SPTR units(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

StatusOr<Regex> Regex::compile(std::string_view pattern) {
  if (pattern.empty())
    return invalidArgument("a regex is empty, which is found in every name; "
                           "write '.*' if that is meant");
  if (pattern.size() > kMaxBytes)
    return invalidArgument("the regex " + quote(pattern) + " has " +
                           std::to_string(pattern.size()) +
                           " bytes; it may have at most " +
                           std::to_string(kMaxBytes));
  int error = 0;
  size_t at = 0;
  auto code = std::make_shared<Code>();
  code->pattern = pattern;
  code->compiled.reset(pcre2_compile(
      units(pattern), pattern.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
      &error, &at, /*ccontext=*/nullptr));
  if (!code->compiled)
    return invalidArgument("the regex " + quote(pattern) +
                           " is malformed at byte " + std::to_string(at) +
                           ": " + messageOf(error));
  code->limits.reset(pcre2_match_context_create(/*gcontext=*/nullptr));
  if (!code->limits)
    return resourceExhausted("no memory for the regex " + quote(pattern));
  pcre2_set_match_limit(code->limits.get(), kMaxSteps);
  pcre2_set_depth_limit(code->limits.get(), kMaxDepth);
  pcre2_set_heap_limit(code->limits.get(), kMaxHeapKiB);
  return Regex(std::move(code));
}

StatusOr<bool> Regex::isIn(std::string_view text) const {
  const std::unique_ptr<pcre2_match_data, Freeing<pcre2_match_data_free>> match(
      pcre2_match_data_create(1, /*gcontext=*/nullptr));
  if (!match)
    return resourceExhausted("no memory for the regex " + quote(code->pattern));
  const int found = pcre2_match(code->compiled.get(), units(text), text.size(),
                                0, 0, match.get(), code->limits.get());
  if (found == PCRE2_ERROR_NOMATCH)
    return false;
  if (found >= 0)
    return true;
  return resourceExhausted("the regex " + quote(code->pattern) +
                           " cannot be searched for in " + quote(text) + ": " +
                           messageOf(found));
}

} // namespace smp
