// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_EMULATOR_EXECUTE_COLLECTIVES_H
#define SMP_EMULATOR_EXECUTE_COLLECTIVES_H

#include "../core/Program.h"
#include "Table.h"

namespace smp::emulator {

/// What lanes of a warp do together once all of `members` have come, by the
/// name without the mask: "shfl.sync.idx.b32". The mask is the last operand of
/// the text and not in the form.
const Table &collectives();

} // namespace smp::emulator

#endif // SMP_EMULATOR_EXECUTE_COLLECTIVES_H
