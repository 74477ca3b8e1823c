// SPDX-License-Identifier: Apache-2.0
// Patterns that choose variables by name.

#ifndef SMP_PASSES_TRAINING_LIB_PATTERNS_H
#define SMP_PASSES_TRAINING_LIB_PATTERNS_H

#include "smp/ir/Smp.h"
#include "llvm/Support/GlobPattern.h"
#include <string>
#include <vector>

namespace smp::passes {

class Patterns {
public:
  /// Fails, with an error at the entry that names `what`, on a pattern that is
  /// none.
  static mlir::FailureOr<Patterns> parse(ir::EntryOp entry,
                                         llvm::StringRef what,
                                         const std::vector<std::string> &texts);
  /// Whether some pattern fits the whole name.
  bool match(llvm::StringRef name) const;

private:
  std::vector<std::string> texts; ///< The patterns refer to them.
  std::vector<llvm::GlobPattern> patterns;
};

} // namespace smp::passes

#endif // SMP_PASSES_TRAINING_LIB_PATTERNS_H
