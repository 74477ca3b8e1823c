// SPDX-License-Identifier: Apache-2.0
// Whether a Session takes the memory that is planned for it.

#ifndef SMP_TESTS_SUPPORT_MEMORYCHECK_H
#define SMP_TESTS_SUPPORT_MEMORYCHECK_H

#include <cstddef>
#include <span>
#include <string>

namespace smp::test {

/// Opens the program on devices that compute in the host's memory, on devices
/// with memory of their own, and on both by turns. What devices have allocated
/// must be the program's layout, byte for byte, and so must be what they use of
/// the host's. Why not; empty when it is so. `program` has kernels of one
/// level.
std::string checkMemory(std::span<const std::byte> program);

} // namespace smp::test

#endif // SMP_TESTS_SUPPORT_MEMORYCHECK_H
