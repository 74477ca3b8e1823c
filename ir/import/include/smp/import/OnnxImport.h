// SPDX-License-Identifier: Apache-2.0
// ONNX models to the smp dialect.

#ifndef SMP_IMPORT_ONNXIMPORT_H
#define SMP_IMPORT_ONNXIMPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "smp/import/Pins.h"
#include "smp/ir/WeightStore.h"
#include "smp/model/Graph.h"

namespace smp {

/// A dimension of an input that rows of a batch are along.
struct BatchAxis {
  std::string input;
  int64_t axis = 0;
};

struct OnnxOptions {
  /// Sizes of dimensions that the model leaves open, by name or by place, as
  /// `input[i]`. Dimensions of one name are of one size, which is an error if
  /// it is given otherwise, here or by what an input is bound to. Names that
  /// exporters make up, as `unk__7` and `?`, are not shared: two dimensions of
  /// one such name are two.
  std::map<std::string, int64_t> dims;
  /// What microbatches are split along; what the model calls as one of these is
  /// one too. Empty: the first dimension of each input that is called batch or,
  /// where none is, the first if it has no name or the name `s0`, torch's
  /// first. A fixed one may be declared.
  ///
  /// How outputs follow from rows is proved: the model is imported once more,
  /// for more rows, and these are followed through its ops. See Rows.h.
  std::vector<BatchAxis> batch;
  /// Inputs with a value that is known now; they vanish from the entry. It
  /// replaces the initialiser that an input has as a default.
  std::map<std::string, HostTensor> constants;
  /// Such inputs of one element, as text: "16000", "0.5", "true".
  std::map<std::string, std::string> numbers;
  bool binds(const std::string &input) const {
    return constants.count(input) || numbers.count(input);
  }
  /// Globs of names. When there are any, the float initialisers that match one
  /// become parameters and the others constants; one that matches none is an
  /// error.
  std::vector<std::string> trainable;
  /// Partitions of nodes by name. The last that matches holds; one that matches
  /// no node is an error.
  std::vector<Pin> pins;
  /// Number of partitions; 0: as many as the model's pipeline stages name.
  int64_t partitions = 0;
  /// Which of the model's device configurations holds; needed if it has
  /// several.
  std::string configuration;
  /// External data are read from regular files below the model's folder, and
  /// below this one if it is given, wherever paths and links in the model lead.
  std::string externalData;
  /// What `#smp.stored` attributes call the file of weights.
  std::string weightsFile = "model.safetensors";
};

struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  ir::WeightStore weights; ///< Of the variables with a `#smp.stored` value.
  /// Paths of the files that weights were read from.
  std::vector<std::string> weightFiles = {};
};

/// Reads the model in file `path` and the external data beside it. Failure is
/// told once through the context's diagnostics, with the node, the value and
/// what would be right. Any bytes are safe to read.
mlir::FailureOr<ImportedModel> importOnnx(mlir::MLIRContext *context,
                                          llvm::StringRef path,
                                          const OnnxOptions &options);

/// Reads the model in `bytes`, which are copied. External data are looked for
/// in `folder`; messages call the model `name`.
mlir::FailureOr<ImportedModel> importOnnx(mlir::MLIRContext *context,
                                          llvm::StringRef bytes,
                                          llvm::StringRef name,
                                          llvm::StringRef folder,
                                          const OnnxOptions &options);

/// A tensor with a name, as ONNX keeps test data in .pb files.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};
/// Nothing, with the reason in `error`, when the bytes are no such tensor.
std::optional<NamedTensor> parseOnnxTensor(llvm::StringRef bytes,
                                           std::string &error);

} // namespace smp

#endif // SMP_IMPORT_ONNXIMPORT_H
