// SPDX-License-Identifier: Apache-2.0
// CRC-32C as LevelDB and TensorFlow store it: turned and moved, so that the
// digest of bytes that contain digests stays a good one.

#ifndef SMP_TOOLS_BUNDLE_LIB_MASKEDCRC_H
#define SMP_TOOLS_BUNDLE_LIB_MASKEDCRC_H

#include "smp/serialization/Crc32c.h"

namespace smp {

inline uint32_t maskCrc(uint32_t crc) {
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

} // namespace smp

#endif // SMP_TOOLS_BUNDLE_LIB_MASKEDCRC_H
