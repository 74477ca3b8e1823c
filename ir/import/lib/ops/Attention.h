// SPDX-License-Identifier: Apache-2.0
// What operators with heads have in common.

#ifndef SMP_IMPORT_LIB_OPS_ATTENTION_H
#define SMP_IMPORT_LIB_OPS_ATTENTION_H

#include "../Node.h"

namespace smp::frontend {

/// [batch, length, heads * size] as [batch, length, heads, size]; null after an
/// error.
Value splitHeads(Node &node, Value x, int64_t heads);
/// Likewise into as many heads as an attribute says, which must be there.
Value splitHeads(Node &node, Value x, llvm::StringRef attribute);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPS_ATTENTION_H
