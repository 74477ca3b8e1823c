// SPDX-License-Identifier: Apache-2.0
// The two implementations behind crc32c(), apart so that tests can compare
// them.

#ifndef SMP_SERIALIZATION_LIB_CRC32CPARTS_H
#define SMP_SERIALIZATION_LIB_CRC32CPARTS_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace smp::detail {

/// Eight table look-ups per eight bytes.
uint32_t crc32cSoftware(std::span<const std::byte> bytes, uint32_t previous);

/// Whether this processor has the instruction that crc32cHardware uses.
bool hasCrc32cHardware();
uint32_t crc32cHardware(std::span<const std::byte> bytes, uint32_t previous);

} // namespace smp::detail

#endif // SMP_SERIALIZATION_LIB_CRC32CPARTS_H
