// SPDX-License-Identifier: Apache-2.0
// What becomes of the configuration of a hook: an error that says what is
// wrong, or one that is the same when it was written and read again.
#include "smp/capture/HookConfig.h"
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto config = parseHookConfig(text);
  if (!config.ok()) {
    require(config.status().code() == StatusCode::InvalidArgument &&
            !config.status().message().empty());
    return 0;
  }
  const auto again = parseHookConfig(toJson(*config));
  require(again.ok() && *again == *config);
  return 0;
}
