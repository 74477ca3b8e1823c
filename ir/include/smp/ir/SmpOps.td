// SPDX-License-Identifier: Apache-2.0
// Every op of the dialect.

#ifndef SMP_IR_OPS_TD
#define SMP_IR_OPS_TD

include "smp/ir/SmpStructure.td"
include "smp/ir/SmpElementwise.td"
include "smp/ir/SmpShape.td"
include "smp/ir/SmpContraction.td"
include "smp/ir/SmpIndexing.td"
include "smp/ir/SmpComposite.td"
include "smp/ir/SmpProduct.td"

#endif // SMP_IR_OPS_TD
