// SPDX-License-Identifier: Apache-2.0
// The first values of variables that no file has.

#ifndef SMP_SERIALIZATION_FIRSTVALUE_H
#define SMP_SERIALIZATION_FIRSTVALUE_H

#include "smp/base/Status.h"
#include "smp/serialization/Program.h"

namespace smp {

/// Of a variable whose initializer is not Stored. ResourceExhausted: there is
/// no memory for it.
StatusOr<std::vector<std::byte>> makeFirstValue(const Variable &variable);

} // namespace smp

#endif // SMP_SERIALIZATION_FIRSTVALUE_H
