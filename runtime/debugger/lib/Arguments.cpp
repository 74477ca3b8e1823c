// SPDX-License-Identifier: Apache-2.0
#include "Handles.h"
#include "smp/base/Lists.h"
#include "smp/base/Quote.h"

namespace smp::capi {

StatusOr<Mode> modeOf(const char *function, const char *word) {
  if (!word)
    return nullStatus(function, "mode");
  if (const auto mode = parseMode(word))
    return *mode;
  return invalidArgument(std::string(function) + ": mode is " + quote(word) +
                         "; it must be one of " +
                         join(kModeNames, ", ", [](const ModeName &mode) {
                           return quote(mode.word);
                         }));
}

const char *wordOf(Mode mode) { return toString(mode).data(); } // A literal.

} // namespace smp::capi
