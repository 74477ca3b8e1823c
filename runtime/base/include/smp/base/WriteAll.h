// SPDX-License-Identifier: Apache-2.0
// Bytes to a descriptor.

#ifndef SMP_BASE_WRITEALL_H
#define SMP_BASE_WRITEALL_H

#include <cstddef>
#include <cstdint>
#include <span>

namespace smp {

/// Writes all of the bytes to what the descriptor is of, from where it stands.
/// Gives 0 or the number of errno, and never raises a signal that would end the
/// process: EPIPE where nobody reads any more, EFBIG where the file, be it one
/// in memory, would pass the limit that the process has for its files. Any
/// thread may call it.
[[nodiscard]] int writeAll(int descriptor, std::span<const std::byte> bytes);
/// The same from the offset on, for a file.
[[nodiscard]] int writeAll(int descriptor, std::span<const std::byte> bytes,
                           uint64_t offset);
/// Takes room for so many bytes, where the file system can.
void takeRoom(int descriptor, uint64_t bytes);

} // namespace smp

#endif // SMP_BASE_WRITEALL_H
