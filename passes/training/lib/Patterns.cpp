// SPDX-License-Identifier: Apache-2.0
#include "Patterns.h"
#include "smp/ir/Placement.h"

using namespace mlir;

namespace smp::passes {

FailureOr<Patterns> Patterns::parse(ir::EntryOp entry, StringRef what,
                                    const std::vector<std::string> &texts) {
  Patterns result;
  result.texts = texts;
  for (const std::string &text : result.texts) {
    auto pattern = llvm::GlobPattern::create(text, /*MaxSubPatterns=*/1024);
    if (!pattern)
      return entry.emitOpError()
             << ir::kOptimizerAttr << " " << what << " has the pattern '"
             << text << "': " << llvm::toString(pattern.takeError());
    result.patterns.push_back(std::move(*pattern));
  }
  return result;
}

bool Patterns::match(StringRef name) const {
  return llvm::any_of(patterns, [&](const llvm::GlobPattern &pattern) {
    return pattern.match(name);
  });
}

} // namespace smp::passes
