// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_COMPILE_NESTING_H
#define SMP_COMPILE_NESTING_H

#include "smp/base/Status.h"
#include <string_view>

namespace smp::compile {

/// Brackets within each other in .mlir text. MLIR's parser calls itself for
/// each and would run out of stack: 10,000 are too many for it.
inline constexpr int kDeepestNesting = 256;

/// An error that names the line when text goes deeper; to be asked before it is
/// parsed. Bytecode has no brackets and may be given, too.
Status checkNesting(std::string_view text);

} // namespace smp::compile

#endif // SMP_COMPILE_NESTING_H
