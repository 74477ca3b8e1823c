// SPDX-License-Identifier: Apache-2.0
// What TableGen makes of the ops.

#include "smp/ir/Smp.h"

#define GET_OP_CLASSES
#include "smp/ir/SmpOps.cpp.inc"
