// SPDX-License-Identifier: Apache-2.0
// A program with a graph as large as people have.

#ifndef SMP_TESTS_UNIT_PAGE_LARGEPROGRAM_H
#define SMP_TESTS_UNIT_PAGE_LARGEPROGRAM_H

#include "smp/serialization/Program.h"

namespace smp {

/// Gives the program's first entry 2,000 ops with boxes of their own, in 40
/// layers of two modules each, half of them on partition 1, and reads and
/// broadcasts beside them. The op "layer3/attention/op7" is pinned.
void enlarge(Program &program);
inline constexpr unsigned kLargeOps = 2000;

} // namespace smp

#endif // SMP_TESTS_UNIT_PAGE_LARGEPROGRAM_H
