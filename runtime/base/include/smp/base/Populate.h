// SPDX-License-Identifier: Apache-2.0
// Memory that the system has promised and not given yet.

#ifndef SMP_BASE_POPULATE_H
#define SMP_BASE_POPULATE_H

#include <cstddef>
#include <span>

namespace smp {

/// Before all of it is written for the first time: has the system give its
/// pages at once, which takes a third less of a processor than one after the
/// other as they are touched. What is there stays as it is. Does nothing where
/// the system cannot (before Linux 5.14), or for little.
void populate(std::span<std::byte> memory);

} // namespace smp

#endif // SMP_BASE_POPULATE_H
