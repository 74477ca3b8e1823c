// SPDX-License-Identifier: Apache-2.0
// Which partition a node is pinned to.

#ifndef SMP_IMPORT_LIB_PINTABLE_H
#define SMP_IMPORT_LIB_PINTABLE_H

#include "smp/import/OnnxImport.h"
#include "smp/ir/Smp.h"
#include "llvm/Support/GlobPattern.h"

namespace onnx {
class ModelProto;
class NodeProto;
} // namespace onnx

namespace smp::frontend {

/// Pins from the model's device configurations and from name patterns, which
/// win over the model's.
class PinTable {
public:
  PinTable(mlir::MLIRContext *context, const OnnxOptions &options)
      : context(context), options(options) {}

  /// Checks the pins and fixes the number of partitions; false with the reason
  /// in `error`.
  bool prepare(const onnx::ModelProto &model, std::string &error);
  /// The node's pin, or null.
  ir::PlacementAttr find(const onnx::NodeProto &node, llvm::StringRef name);
  /// A pattern that no node has matched; empty if there is none.
  std::string unmatched() const;
  /// 0: nobody has said.
  int64_t partitions() const { return count; }

private:
  bool checkConfigurations(const onnx::ModelProto &model, std::string &error);
  bool compilePatterns(std::string &error);
  std::optional<int64_t> stageOf(const onnx::NodeProto &node) const;

  struct Pattern {
    llvm::GlobPattern glob;
    bool hasMatched = false;
  };
  mlir::MLIRContext *context;
  const OnnxOptions &options;
  std::vector<Pattern> patterns; ///< As options.pins.
  std::string configuration;     ///< The one that holds.
  int64_t count = 0;
};

} // namespace smp::frontend

#endif // SMP_IMPORT_LIB_PINTABLE_H
