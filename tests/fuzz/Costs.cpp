// SPDX-License-Identifier: Apache-2.0
// What becomes of a file of costs: an error that says what is wrong, or costs
// that can be counted with and are the same when they were written and read
// again.
#include "smp/serialization/CostsFile.h"
#include <cstdlib>

using namespace smp;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto costs = parseCosts(text);
  if (!costs.ok()) {
    require(!costs.status().message().empty());
    return 0;
  }
  require(!checkCosts(*costs));
  const std::string written = formatCosts(*costs);
  const auto again = parseCosts(written);
  require(again.ok() && formatCosts(*again) == written);
  return 0;
}
