// SPDX-License-Identifier: Apache-2.0
#include "ProgramSize.h"
#include "smp/serialization/ProgramFile.h"

namespace smp::test {

std::string checkSize(std::span<const std::byte> program) {
  StatusOr<LoadedProgram> loaded = readProgram(program);
  if (!loaded.ok())
    return loaded.status().message();
  uint64_t total = 0, kernels = 0, weights = 0;
  for (const FilePart &part : loaded->parts()) {
    total += part.bytes;
    kernels += part.name.starts_with("images") ? part.bytes : 0;
    weights += part.name == "weights" ? part.bytes : 0;
  }
  if (total != program.size())
    return "the program has " + std::to_string(program.size()) +
           " bytes, its parts have " + std::to_string(total);
  constexpr uint64_t kMiB = 1 << 20;
  const uint64_t most = weights + weights * 15 / 100 + kernels + kMiB;
  if (total <= most)
    return {};
  return "the program has " + std::to_string(total) + " bytes, of at most " +
         std::to_string(most) + ": 1.15 times " + std::to_string(weights) +
         " of weights, " + std::to_string(kernels) + " of kernels, 1 MiB";
}

} // namespace smp::test
