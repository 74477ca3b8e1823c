// SPDX-License-Identifier: Apache-2.0
// Which operators, in which versions, are imported by which rule.

#ifndef SMP_IMPORT_LIB_OPTABLE_H
#define SMP_IMPORT_LIB_OPTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <climits>
#include <map>
#include <string>

namespace smp::frontend {

class Node;

/// All operators of these opsets are known. Of an older one those are taken
/// whose version has a row.
inline constexpr int64_t kFirstOpset = 7;
inline constexpr int64_t kLastOpset = 28;
inline bool isSupportedOpset(int64_t opset) {
  return opset >= 1 && opset <= kLastOpset;
}
/// Whether a domain is that of ONNX's own operators.
inline bool isOnnxDomain(llvm::StringRef domain) {
  return domain.empty() || domain == "ai.onnx";
}
/// The domain of ONNX's operators for training, all of version 1.
inline constexpr llvm::StringLiteral kTrainingDomain =
    "ai.onnx.preview.training";
inline bool isKnownDomain(llvm::StringRef domain) {
  return isOnnxDomain(domain) || domain == kTrainingDomain;
}
/// The version of the domain's operators, which `opsets` has by domain; 0: the
/// model does not say it.
int64_t opsetOf(const std::map<std::string, int64_t> &opsets,
                llvm::StringRef domain);

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

/// Rows of an operator of ONNX's own domain are neighbours, older ones first.
llvm::ArrayRef<OpRow> opTable();

struct Rule {
  const OpRow *row = nullptr; ///< Null: unknown in this opset.
  int64_t since = 0;          ///< The version that holds.
  /// The operator's first version, when it is newer than the opset.
  int64_t firstVersion = 0;
};
Rule findRule(llvm::StringRef domain, llvm::StringRef op, int64_t opset);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_OPTABLE_H
