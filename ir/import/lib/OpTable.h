// SPDX-License-Identifier: Apache-2.0
// Which operators, in which versions, are imported by which rule.

#ifndef SMP_IMPORT_LIB_OPTABLE_H
#define SMP_IMPORT_LIB_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <climits>

namespace smp::frontend {

class Node;

/// All operators of these opsets are known. Of an older one those are taken
/// whose version has a row.
inline constexpr int64_t kFirstOpset = 7;
inline constexpr int64_t kLastOpset = 22;
inline bool isSupportedOpset(int64_t opset) {
  return opset >= 1 && opset <= kLastOpset;
}
/// Whether a domain is that of ONNX's own operators.
inline bool isOnnxDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}

/// Versions of one operator that one rule reads.
struct OpRow {
  static constexpr int kAny = INT_MAX;

  const char *op;
  /// The since-versions, ascending, separated by blanks. A version holds until
  /// the operator's next one, in whichever row that is.
  const char *versions;
  int minInputs, maxInputs;
  /// What changed from the versions before, or between these; why there is no
  /// rule.
  const char *change;
  void (*import)(Node &); ///< Null: the operator is refused.
};

/// Rows of an operator are neighbours, older ones first.
llvm::ArrayRef<OpRow> opTable();

struct Rule {
  const OpRow *row = nullptr; ///< Null: unknown in this opset.
  int64_t since = 0;          ///< The version that holds.
  /// The operator's first version, when it is newer than the opset.
  int64_t firstVersion = 0;
};
Rule findRule(llvm::StringRef op, int64_t opset);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPTABLE_H
