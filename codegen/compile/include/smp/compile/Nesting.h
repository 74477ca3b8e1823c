// SPDX-License-Identifier: Apache-2.0
#ifndef SMP_COMPILE_NESTING_H
#define SMP_COMPILE_NESTING_H

#include "smp/base/Status.h"
#include <string_view>

namespace smp::compile {

/// Brackets within each other in .mlir text. MLIR's parser calls itself for
/// each and would run out of stack: 10,000 are too many for it.
inline constexpr int kDeepestNesting = 256;

/// And results of an op: the parser makes a table of as many as a text takes
/// one by its number, as in %x#3.
inline constexpr int64_t kMostResults = 65536;

/// An error that names the line when text goes deeper, or takes a result beyond
/// these; to be asked before it is parsed. Bytecode has neither and may be
/// given, too.
Status checkNesting(std::string_view text);

} // namespace smp::compile

#endif // SMP_COMPILE_NESTING_H
