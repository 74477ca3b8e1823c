// SPDX-License-Identifier: Apache-2.0
// What becomes of the text of a file `checkpoint`: an error that says what is
// wrong, or names that are the same when they were written and read again.
#include "smp/serialization/CheckpointState.h"
#include <cstdlib>
#include <string>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto state = parseCheckpointState(text);
  if (!state.ok()) {
    require(state.status().code() == StatusCode::DataLoss &&
            !state.status().message().empty());
    return 0;
  }
  require(isPlainFileName(state->latest));
  for (const std::string &name : state->all)
    require(isPlainFileName(name));
  const std::string written = formatCheckpointState(*state);
  const auto again = parseCheckpointState(written);
  require(again.ok() && again->latest == state->latest &&
          again->all == state->all && again->timestamps == state->timestamps &&
          again->lastPreserved == state->lastPreserved);
  return 0;
}
