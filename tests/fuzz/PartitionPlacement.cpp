// SPDX-License-Identifier: Apache-2.0
// Placements and proofs that somebody else has made, of one small instance: an
// error that says what is wrong, or something that verify() judges.
#include "PlacementFile.h"
#include <cstdlib>

using namespace smp;
using namespace smp::passes;

static constexpr const char *kInstance = R"({
  "maxFPGAs": 2, "maxCPUs": 1, "maxSizePerFPGA": 20, "nodes": [
  {"id": 1, "fpgaLatency": 2, "cpuLatency": 9, "size": 5, "colorClass": 1},
  {"id": 2, "fpgaLatency": 3, "cpuLatency": 9, "size": 5},
  {"id": 3, "fpgaLatency": 1, "cpuLatency": 9, "size": 5, "colorClass": 1},
  {"id": 4, "fpgaLatency": 2, "cpuLatency": 1, "size": 5}],
  "edges": [{"sourceId": 1, "destId": 2, "cost": 0.5},
  {"sourceId": 2, "destId": 3, "cost": 0.25},
  {"sourceId": 3, "destId": 4, "cost": 0.125}]})";

/// The least of any placement.
static constexpr double kLeast = 3.875;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const Instance instance = parseInstance(kInstance).take();
  // In memory of its own, so that a byte too far is seen.
  const std::string text(reinterpret_cast<const char *>(data), size);
  const auto file = parsePlacement(instance, text);
  if (!file.ok())
    return 0;
  const PartitionProblem &problem = instance.problem;
  if (problem.verifyPlacement(file->partitionOf))
    return 0;
  if (problem.objective(file->partitionOf) < kLeast)
    std::abort();
  if (file->proof && file->proof->bound > kLeast &&
      !problem.verifyBound(file->proof->bound, file->proof->certificate))
    std::abort();
  return 0;
}
