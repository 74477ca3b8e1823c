// SPDX-License-Identifier: Apache-2.0
// The dialect's enums as those of the program file.

#ifndef SMP_EXPORT_LIB_ENUMS_H
#define SMP_EXPORT_LIB_ENUMS_H

#include "smp/ir/Smp.h"
#include "smp/serialization/Program.h"

namespace smp::codegen {

Mode toModel(ir::Mode mode);
VariableKind toModel(ir::VariableKind kind);
Unit toModel(ir::Unit unit);

} // namespace smp::codegen

#endif // SMP_EXPORT_LIB_ENUMS_H
