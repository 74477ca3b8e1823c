// SPDX-License-Identifier: Apache-2.0
// Whether a model is the same for two numbers of rows.

#ifndef SMP_IMPORT_LIB_ROWLIKENESS_H
#define SMP_IMPORT_LIB_ROWLIKENESS_H

#include "smp/ir/Smp.h"

namespace smp::frontend {

/// Compares a model that was imported for `fewer` rows and for `more`, two
/// primes. Ops of `large` that differ in more than sizes, which must be in the
/// proportion of rows, are marked as following from their number
/// (`smp.follows_rows`). False when they are not the same ops in the same
/// order.
bool markDifferences(ir::EntryOp small, int64_t fewer, ir::EntryOp large,
                     int64_t more);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_ROWLIKENESS_H
