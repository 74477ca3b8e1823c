// SPDX-License-Identifier: Apache-2.0
// How much memory a program takes per partition, known before it runs.

#ifndef SMP_SERIALIZATION_MEMORY_H
#define SMP_SERIALIZATION_MEMORY_H

#include "smp/serialization/Program.h"

namespace smp {

/// Bytes on the device of one partition. Entries of a program do not run at the
/// same time on one device, so arena and channels are those of the largest.
struct PartitionMemory {
  uint64_t variables = 0; ///< Each variable that one of its stages touches.
  uint64_t prepared = 0;
  uint64_t constants = 0; ///< Shared by all devices of a process.
  uint64_t arena = 0;     ///< The largest stage: stages run one at a time.
  /// Places of the edges that its stages write, each a multiple of 64 bytes.
  uint64_t channels = 0;

  uint64_t total() const {
    return variables + prepared + constants + arena + channels;
  }
};

/// Of a verified program.
PartitionMemory memoryOf(const Program &program, uint32_t partition);

} // namespace smp

#endif // SMP_SERIALIZATION_MEMORY_H
