// SPDX-License-Identifier: Apache-2.0
// What only the library and its tests may ask of the writer.

#ifndef SMP_SERIALIZATION_LIB_PROGRAMWRITER_H
#define SMP_SERIALIZATION_LIB_PROGRAMWRITER_H

#include "smp/base/Status.h"
#include "smp/serialization/Program.h"

namespace smp {

/// Writes `features` as required.
StatusOr<std::vector<std::byte>>
serializeProgram(const Program &program,
                 const std::vector<std::string> &features);

} // namespace smp

#endif // SMP_SERIALIZATION_LIB_PROGRAMWRITER_H
