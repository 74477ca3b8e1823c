// SPDX-License-Identifier: Apache-2.0
// The enums of the dialect's attributes.

#ifndef SMP_IR_ENUMS_H
#define SMP_IR_ENUMS_H

#include "llvm/ADT/DenseMapInfo.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

#include "smp/ir/SmpEnums.h.inc"

#endif // SMP_IR_ENUMS_H
