// SPDX-License-Identifier: Apache-2.0
// What float tensors of a model are for: which of them training would change.

#ifndef SMP_IMPORT_LIB_ROLES_H
#define SMP_IMPORT_LIB_ROLES_H

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

namespace onnx {
class FunctionProto;
class GraphProto;
class NodeProto;
} // namespace onnx

namespace smp::frontend {

enum class Role : uint8_t {
  None,      ///< A constant.
  State,     ///< The running statistics of a batch norm.
  Parameter, ///< A weight or bias.
};

/// Roles of value names; a name that is absent has none.
using Roles = llvm::StringMap<Role>;
using Functions = llvm::StringMap<onnx::FunctionProto *>;

/// Finds what is used as a weight or bias of a convolution, product, recurrent
/// layer, norm or lookup, directly or through ops that only move elements, and
/// vectors that scale or shift. Looks into bodies and called functions.
class RoleFinder {
public:
  explicit RoleFinder(const Functions &functions) : functions(functions) {}

  Roles find(const onnx::GraphProto &graph);
  Roles find(const onnx::FunctionProto &function);

private:
  void addGraph(const onnx::GraphProto &graph, Roles &roles);
  void addNode(const onnx::NodeProto &node, Roles &roles);
  void addCall(const onnx::NodeProto &node, Roles &roles);

  const Functions &functions;
  llvm::StringMap<Roles> known; ///< By function key; empty while in progress.
  llvm::StringSet<> vectors;    ///< Initialisers of rank 1.
  int depth = 0;
};

/// Function calls and bodies nest this deep at most.
inline constexpr int kMaxNesting = 64;

/// The key of a function in `Functions`.
std::string functionKey(llvm::StringRef domain, llvm::StringRef name,
                        llvm::StringRef overload);

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_ROLES_H
