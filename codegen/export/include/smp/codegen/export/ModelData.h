// SPDX-License-Identifier: Apache-2.0
// What modules say, as program files say it.

#ifndef SMP_CODEGEN_EXPORT_MODELDATA_H
#define SMP_CODEGEN_EXPORT_MODELDATA_H

#include "smp/ir/Smp.h"
#include "smp/serialization/Program.h"

namespace smp::codegen {

Mode toModel(ir::Mode mode);
VariableKind toModel(ir::VariableKind kind);
Unit toModel(ir::Unit unit);
Variable toModel(ir::VariableOp variable);

} // namespace smp::codegen

#endif // SMP_CODEGEN_EXPORT_MODELDATA_H
