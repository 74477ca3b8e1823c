// SPDX-License-Identifier: Apache-2.0
#include "Regex.h"
#include "smp/base/Quote.h"
#include <pcre2.h>

namespace smp {
namespace {

constexpr size_t kMostBytes = 10000;       // Of a regex.
constexpr uint32_t kMostAttempts = 200000; // Of one search.
constexpr uint32_t kMostHeapKib = 4096;

std::string messageOf(int error) {
  PCRE2_UCHAR text[256] = {};
  pcre2_get_error_message(error, text, sizeof(text));
  return reinterpret_cast<const char *>(text);
}

PCRE2_SPTR bytesOf(std::string_view text) {
  return reinterpret_cast<PCRE2_SPTR>(text.data());
}

struct Limits {
  Limits() : context(pcre2_match_context_create(nullptr)) {
    if (!context)
      return;
    pcre2_set_match_limit(context, kMostAttempts);
    pcre2_set_depth_limit(context, kMostAttempts);
    pcre2_set_heap_limit(context, kMostHeapKib);
  }
  ~Limits() { pcre2_match_context_free(context); }
  Limits(const Limits &) = delete;
  pcre2_match_context *const context;
};

} // namespace

StatusOr<Regex> Regex::compile(std::string_view pattern) {
  if (pattern.empty())
    return invalidArgument("a regex is empty, which is found in every name; "
                           "write '.*' if that is meant");
  if (pattern.size() > kMostBytes)
    return invalidArgument("the regex " + quote(pattern) + " has " +
                           std::to_string(pattern.size()) +
                           " bytes; it may have at most " +
                           std::to_string(kMostBytes));
  int error = 0;
  PCRE2_SIZE where = 0;
  pcre2_code *code = pcre2_compile(
      bytesOf(pattern), pattern.size(),
      PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
      &error, &where, nullptr);
  if (!code)
    return invalidArgument("the regex " + quote(pattern) +
                           " is malformed at byte " + std::to_string(where) +
                           ": " + messageOf(error));
  return Regex(std::shared_ptr<const void>(
                   code, [](pcre2_code *made) { pcre2_code_free(made); }),
               pattern);
}

StatusOr<bool> Regex::isIn(std::string_view text) const {
  const Limits limits;
  const auto *compiled = static_cast<const pcre2_code *>(code.get());
  pcre2_match_data *found =
      pcre2_match_data_create_from_pattern(compiled, nullptr);
  if (!limits.context || !found) {
    pcre2_match_data_free(found);
    return resourceExhausted("no memory to search for " + quote(pattern));
  }
  const int result = pcre2_match(compiled, bytesOf(text), text.size(), 0, 0,
                                 found, limits.context);
  pcre2_match_data_free(found);
  if (result >= 0 || result == PCRE2_ERROR_NOMATCH)
    return result >= 0;
  return invalidArgument("the regex " + quote(pattern) +
                         " cannot be searched for in " + quote(text) + ": " +
                         messageOf(result) + "; make it simpler");
}

} // namespace smp
