// SPDX-License-Identifier: Apache-2.0
// Partition problems as files: an error that says what is wrong, or a problem
// that is refused or solved; and what is written of its answer is read again.
#include "PlacementFile.h"
#include <cstdlib>

using namespace smp;
using namespace smp::passes;

static void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Greater ones take seconds each.
static bool isSmall(const PartitionProblem &problem) {
  return problem.getItems().size() <= 24 && problem.getNumPartitions() <= 8;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto instance = parseInstance(text);
  if (!instance.ok()) {
    // Bytes that are no JSON, or that ask for what cannot be.
    require((instance.status().code() == StatusCode::DataLoss ||
             instance.status().code() == StatusCode::InvalidArgument) &&
            !instance.status().message().empty());
    return 0;
  }
  if (instance->problem.check() || !isSmall(instance->problem))
    return 0;
  const PartitionResult result =
      solvePartition(instance->problem, {.effort = {.exactSteps = 10'000}});
  const auto *answer = std::get_if<PartitionAnswer>(&result);
  if (!answer) {
    require(!std::get<PartitionConflict>(result).message.empty());
    return 0;
  }
  require(!instance->problem.verify(*answer));
  const auto again =
      parsePlacement(*instance, placementText(*instance, *answer));
  require(again.ok() && again->partitionOf == answer->partitionOf &&
          again->proof->bound == answer->bound &&
          again->proof->certificate.weights == answer->certificate.weights);
  return 0;
}
